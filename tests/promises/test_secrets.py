"""Laws of secrets: no piece of one is in what is shown, whatever stands around it and wherever a text is cut."""

from __future__ import annotations

import base64
import hashlib
import random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.cli.output.terminal import one_line
from ctxlab.display.one_line import plain, plain_words
from ctxlab.display.short_texts import cut_off, short
from ctxlab.errors import ReadError
from ctxlab.pipeline.explain.diff import shown_change
from ctxlab.secrets import (
    MaskedPieces,
    SecretMask,
    is_secret_variable,
    masked,
    masked_beginning,
    masked_in_place,
    masked_stretch,
    masked_url,
    secrets_in,
    secrets_of_environment,
    secrets_of_request,
)
from tests.planted_keys import AROUND, LETTERS, keys, pieces_of, surrounded

KEYS = keys()
LETTER = "Z" + LETTERS[:5]


@pytest.mark.parametrize("vendor", KEYS)
def test_a_key_is_known_whatever_stands_around_it(vendor: str) -> None:
    assert len(AROUND) >= 100
    key = KEYS[vendor]
    for around in AROUND:
        text = surrounded(key, around)
        shown = masked(text)

        assert not [*pieces_of(key, shown)], around
        assert masked(shown) == shown, "a mask is masked"
        assert len(masked_in_place(text)) == len(text)
        assert not [*pieces_of(key, masked_in_place(text))]


def test_what_stands_around_a_key_stays() -> None:
    for around in AROUND:
        shown = masked(surrounded(KEYS["github"], around))

        before, _, behind = surrounded("\x03", around).partition("\x03")
        assert shown.startswith(before), around
        assert shown.endswith(behind.removeprefix("_").removeprefix("_")), "what may be a part of it goes with it"


TEXTS = st.builds(
    lambda before, around, vendor, behind: (KEYS[vendor], f"{before} " + surrounded(KEYS[vendor], around) + behind),
    st.text(st.sampled_from("word \n,.=/海"), max_size=60),
    st.sampled_from(AROUND),
    st.sampled_from(sorted(KEYS)),
    st.text(st.sampled_from("word \n,.=&海"), max_size=60).map(lambda words: f" {words}"),
)


@settings(max_examples=300, deadline=None)
@given(made=TEXTS, data=st.data())
def test_a_text_is_masked_before_it_is_cut(made: tuple[str, str], data: st.DataObject) -> None:
    key, text = made
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    cells = data.draw(st.integers(4, 120))

    shown = (
        masked_stretch(text, start, end),
        *(cut(text, cells) for cut in (masked_beginning, short, cut_off, plain, plain_words)),
        one_line(text, cells=cells),
        str(ReadError(f"{text[:start]!r} {text!r}")),
    )

    for each in shown[:-1]:
        assert not [*pieces_of(key, each)], each
    assert not [*pieces_of(key, shown[-1].removeprefix(repr(text[:start])))] or start


@settings(max_examples=100, deadline=None)
@given(vendor=st.sampled_from(sorted(KEYS)), at=st.integers(0, 60), before=st.text("ab ", max_size=20))
def test_two_keys_that_differ_by_a_letter_are_compared_without_a_piece_of_them(
    vendor: str, at: int, before: str
) -> None:
    key = KEYS[vendor]
    at = min(at, len(key) - 1)
    other = key[:at] + LETTER[ord(key[at]) % len(LETTER)] + key[at + 1 :]
    change = shown_change(f"{before} KEY={key} end", f"{before} KEY={other} end")

    assert change is None or not [*pieces_of(key, change[1]), *pieces_of(other, change[2])]


NO_SECRETS = (
    *("sk-learn", "scikit-learn 1.5", "sk-fading-circle", "sk-container-id-1 div.sk-toggleable__content-arrow"),
    *("sk-estimator-doc-link-2", "task-0123456789abcdefgh", "disk-1234567890abcdef12", "risk_0123456789abcdef0123"),
    *("a1b2c3d4e5f60718293a4b5c6d7e8f9012345678", "sha256:" + "0f" * 32, "550e8400-e29b-41d4-a716-446655440000"),
    *("cache_key=a1b2c3d4e5f60718293a4b5c6d7e8f90", "idempotency-key: 550e8400-e29b-41d4-a716-446655440000"),
    *("max_tokens=4096", "MAX_TOKENS=128000", "token count: 1,234,567", "the secret of the lighthouse at 12 o'clock"),
    *("api_key = os.environ['OPENAI_API_KEY']", "api_key=settings.OPENAI_API_KEY", "password = getpass()"),
    *("OPENAI_API_KEY=$OPENAI_API_KEY", "password: ${DB_PASSWORD2}", "<password>", "api_key=YOUR_API_KEY_HERE"),
    *("SSL_KEY=/etc/ssl/private/server2.key", "https://user@example.com/a/b2", "see https://h.example/?page=2&q=a1b2"),
    *("mailto:someone1234567890@example.com", "git@github.com:a/b.git", "ssh://git@h.example/a", "eyJust a word.eyJ"),
    *("Basic training", "basic knowledge: a+b", "Visual Basic programs", "Basic ", "the basic idea is: none"),
    *("密码：请输入", "密钥在信封里", "Bearer of bad news and other things", "npm_config_registry", "hf_transfer"),
)


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_encoded_bytes_and_hashes_are_no_keys() -> None:
    dice = random.Random(38)
    for seed in range(20):
        data = dice.randbytes(150_000)
        picture = base64.b64encode(data).decode()
        url_safe = base64.urlsafe_b64encode(data).decode()
        hashes = " ".join(hashlib.sha256(f"{seed}{n}".encode()).hexdigest()[: 40 + n % 25] for n in range(500))
        for text in (picture, f"data:image/png;base64,{picture}", url_safe, hashes):
            assert [each for each in secrets_in(text) if each.start > 200] == []


def test_a_key_behind_encoded_bytes_is_one() -> None:
    picture = base64.b64encode(random.Random(1).randbytes(3_000)).decode()
    for between in (" ", "\n", '"', "=", ","):
        assert not [*pieces_of(KEYS["openai"], masked(picture + between + KEYS["openai"]))]


def cut_at(text: str, places: list[int]) -> list[str]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


PLACES = st.lists(st.integers(0, 400), max_size=20)


@settings(max_examples=300, deadline=None)
@given(made=TEXTS, places=PLACES)
def test_a_text_that_comes_in_pieces_is_masked_as_the_whole_is(made: tuple[str, str], places: list[int]) -> None:
    key, text = made
    pieces = MaskedPieces()
    shown = "".join([*map(pieces.add, cut_at(text, places)), pieces.end()])

    assert not [*pieces_of(key, shown)], shown
    assert shown.count("***") == masked(text).count("***") or "\n" in key


@given(text=st.text(st.sampled_from("word \n,.=/&海:"), max_size=80), places=PLACES)
def test_a_text_without_secrets_comes_whole_and_words_are_not_waited_for(text: str, places: list[int]) -> None:
    pieces = MaskedPieces()

    assert "".join([*map(pieces.add, cut_at(text, places)), pieces.end()]) == text
    assert pieces.add("海 word ") == "海 word "
    assert pieces.add("word海灯") == "word海灯"


def pair(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize("around", ["Authorization: Basic {}", "{}x Basic {} y", '"Basic {}"', "basic%20{}&a=1"])
def test_the_base64_of_a_user_and_password_behind_basic_is_a_secret(around: str) -> None:
    for user, password in (("user", "key"), ("a", "hunter2"), ("名", "密码"), ("", "pw9"), ("é", "a long pass phrase")):
        text = around.removeprefix("{}").format(pair(user, password))

        assert masked(text) == around.removeprefix("{}").format("***")
        assert len(masked_in_place(text)) == len(text)


@pytest.mark.parametrize("secret", ["zq7Xk2Lm9Pw4Rt6Yv8Bn1Hd3", "hunter2!", "密码密码密码密码"])
def test_a_known_secret_is_found_in_base64_wherever_it_stands_in_it(secret: str) -> None:
    mask = SecretMask([secret])
    for user in ("", "u", "us", "use", "user"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(f"{user}:{secret}".encode()).decode()

            assert mask.text(f"it sent {encoded} and went on") == "it sent *** and went on"


def test_the_password_of_a_basic_header_is_looked_for_in_texts() -> None:
    mask = SecretMask(secrets_of_request([("Authorization", f"Basic {pair('u', 'zq7Xk2Lm9Pw4')}")], ""))

    assert mask.text("zq7Xk2Lm9Pw4, again") == "***, again"


HOSTILE = (
    *(
        "sk-",
        "sk-a",
        "eyJ-",
        "eyJ.",
        ".eyJ",
        "://",
        "://a:",
        "?key=",
        "&key=?",
        "password=",
        "password:",
        "_KEY=",
        "==",
    ),
    *("-----BEGIN ", "-----BEGIN RSA PRIV" + "ATE KEY-----", "Bearer ", "Bearer a", "xoxb-", "ghp_", "api_key", "\\n"),
    *("--token ", "secret", "secretsecret:", "hvs.", "pa-", "1//0", "SG.", "a@", "://a@", "Authorization: "),
    *("Basic ", "basic%20", "Basic YTph", "Basic  "),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_text(piece: str) -> None:
    def seconds(characters: int) -> float:
        text = piece * (characters // len(piece))
        began = process_time()
        masked(text)
        return process_time() - began

    least = min(seconds(20_000) for _ in range(3))
    assert min(seconds(160_000) for _ in range(2)) < 24 * max(least, 0.002), "eight times as long, not 64 times"


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "DB_PASSWORD",
        "PGPASSWORD",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "STRIPE_KEY",
        "MYSQL_PWD",
        "NPM_TOKEN",
        "CLIENT_SECRET",
        "SMTP_PASS",
        "REDIS_PASSWD",
        "KEY_PASSPHRASE",
        "GOOGLE_CREDENTIALS",
        "SENTRY_DSN",
    ],
)
def test_variables_that_are_named_as_keys_are_secrets(name: str) -> None:
    assert is_secret_variable(name)
    assert secrets_of_environment({name: "zq7Xk2Lm9Pw4", "HOME": "/home/a"}) == ["zq7Xk2Lm9Pw4"]


@pytest.mark.parametrize("name", ["PATH", "HOME", "PWD", "OLDPWD", "MAX_TOKENS", "TOKENIZERS_PARALLELISM", "LANG"])
def test_other_variables_are_none(name: str) -> None:
    assert not is_secret_variable(name)


def test_the_password_of_an_address_in_a_variable_is_one() -> None:
    assert "hunter22" in secrets_of_environment({"DATABASE_URL": "postgres://u:hunter22@h.example/db"})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:pw@h.example/a?b=1", "https://u:***@h.example/a?b=1"),
        ("https://h.example/a?key=short&n=2", "https://h.example/a?key=***&n=2"),
        ("https://h.example/a?api%5Fkey=short", "https://h.example/a?api%5Fkey=***"),
        ("https://h.example/a", "https://h.example/a"),
    ],
)
def test_an_address_is_shown_without_its_password_and_its_keys(url: str, shown: str) -> None:
    assert masked_url(url) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DB_PASSWORD=hunter22!", "DB_PASSWORD=***"),
        ("postgres://u:hunter@h.example/db", "postgres://u:***@h.example/db"),
        ('{"client_secret": "aB3dE5fG7hJ9kL1m"}', '{"client_secret": "***"}'),
        ("curl --token aB3dE5fG7hJ9kL1m x", "curl --token *** x"),
        ("see https://h.example/?access_token=aB3dE5fG7 and", "see https://h.example/?access_token=*** and"),
    ],
)
def test_values_are_known_by_the_name_in_front_of_them(text: str, shown: str) -> None:
    assert masked(text) == shown
