"""A report opens from disk with what is sent, has a page for each view, and shows strangers' text as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator

import ctxlab
import ctxlab_widgets
from ctxlab import Agent, Session, Trace
from ctxlab.pipeline.explain.consequential_step import most_consequential_step
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.studies.run_summary import run_summary
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of
from tests.gallery.samples import harbour_with, rules

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1500, rules=rules())


def hostile() -> Trace:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(HOSTILE)]
    session: Session = ctxlab.read_data(said).pick()
    return ctxlab.build(session, Agent(name="<b>bold</b>"))


@pytest.fixture(scope="module")
def written(harbour: Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ctxlab_widgets.report(harbour, tmp_path_factory.mktemp("report") / "page.html")


def opened_at(opened: Opened, report: Path, tab: str = "steps") -> Locator:
    """The view behind a tab of the report."""
    page = opened.open(report)
    page.locator(f"[role=tab][data-view={tab}]").click()
    view = page.locator(f"#ctxlab-view-{tab}")
    view.locator(".ctxlab .w").wait_for()
    return view


def test_it_draws_in_light_and_in_dark(opened: Opened, written: Path, theme: str) -> None:
    view = opened_at(opened, written)

    colours = view.page.evaluate(
        """() => { const at = (e, name) => getComputedStyle(e)[name];
        const w = document.querySelector('#ctxlab-view-steps .w'), now = document.querySelector('.step.now');
        return { surface: at(w, 'backgroundColor'), ink: at(w, 'color'), now: at(now, 'backgroundColor') } }"""
    )

    assert (
        colours
        == {
            "light": {"surface": "rgb(255, 255, 255)", "ink": "rgb(27, 30, 36)", "now": "rgb(223, 233, 251)"},
            "dark": {"surface": "rgb(26, 28, 32)", "ink": "rgb(231, 233, 236)", "now": "rgb(38, 54, 79)"},
        }[theme]
    )
    assert colours_of(view) > 40


def test_it_is_walked_through_by_click_by_key_and_by_slider(opened: Opened, harbour: Trace, written: Path) -> None:
    view = opened_at(opened, written)
    current = view.locator(".step[aria-current=step]")
    steps = [step.id for step in harbour.steps]

    assert current.get_attribute("data-step") == "token-limiter" == steps[most_consequential_step(harbour) or 0]
    view.locator("[data-step=regex-processor]").click()
    assert current.get_attribute("data-step") == "regex-processor"
    assert view.locator("article.k-rewritten").count() == len(harbour.changes("regex-processor").rewritten)
    view.page.keyboard.press("ArrowRight")
    assert current.get_attribute("data-step") == steps[steps.index("regex-processor") + 1]
    view.page.keyboard.press("n")
    assert current.get_attribute("data-step") == steps[steps.index("regex-processor") + 2]
    view.page.keyboard.press("Shift+N")
    view.page.keyboard.press("Home")
    assert current.get_attribute("data-step") == "session-loader"
    slider = view.get_by_label("Steps done")
    slider.focus()
    view.page.keyboard.press("ArrowRight")
    assert current.get_attribute("data-step") == steps[1]
    assert "after 2 of" in view.locator("[aria-live]").inner_text()
    view.page.keyboard.press("End")
    assert current.inner_text().startswith("Result")
    view.page.keyboard.press("Home")
    assert current.count() == 0
    assert view.locator(".empty").inner_text().startswith("Nothing yet")


def test_a_cut_says_its_cause_and_what_would_keep_it(opened: Opened, harbour: Trace, written: Path) -> None:
    view = opened_at(opened, written)
    dropped = harbour.changes("token-limiter").dropped

    shown = view.locator("article.k-dropped .cause").all_inner_texts()
    causes = [words.removesuffix("\nOpen in Budget") for words in shown]

    why = cut_causes(harbour)
    true = {f"{why[draft.key]}\n{harbour.why(draft.key).remedy}" for g in dropped for draft in g.drafts}
    assert len(causes) > 2
    assert set(causes) <= true
    border = dropped[0].border[0]
    assert f"{why[border]}\n{harbour.why(border).remedy}" in causes


def test_its_result_is_all_that_happened_since_the_start(opened: Opened, harbour: Trace, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator(".step.result").click()

    assert view.locator("[role=radio][aria-checked=true]").all_inner_texts() == ["Since start", "Source"]
    dropped = sum(len(group.drafts) for group in harbour.result.dropped)
    assert view.locator(".msgs .bar").inner_text().endswith(f"10 messages, {dropped} dropped")


def test_messages_just_loaded_are_shown_and_not_called_unchanged(opened: Opened, tmp_path: Path) -> None:
    view = opened_at(opened, ctxlab_widgets.report(hostile(), tmp_path / "page.html"))

    view.locator("[data-step=session-loader]").click()

    assert view.locator("article.k-added").count() == len(HOSTILE)
    assert "unchanged" not in view.locator(".feed").inner_text()
    view.page.keyboard.press("n")
    assert "5 unchanged messages, 1\u20135" in view.locator(".feed").inner_text()


def test_what_needs_python_is_not_offered(opened: Opened, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator("[data-step=token-limiter]").click()

    assert view.get_by_role("radio").all_inner_texts() == ["This step", "Since start", "Source", "Plain"]
    assert view.locator(".side input, .side select, .side textarea, .side button").count() == 0
    settings = view.locator(".side dl").inner_text()
    assert "Budget\n1,500\nfrom this call" in settings


def test_joining_says_what_it_cost_and_the_sum_is_the_messages(opened: Opened, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator(".step.result").click()

    numbers = view.page.evaluate(
        """() => [...document.querySelectorAll('#ctxlab-view-steps article')]
        .filter((m) => m.querySelector('.seam')).map((m) => ({
        parts: [...m.querySelectorAll('.part > .num:last-child')]
          .map((n) => Number(n.innerText.replace('\u2212', '-'))),
        whole: m.querySelector('.mh .num').innerText.split('\u2192').map((n) => Number(n.trim())) }))"""
    )

    assert len(numbers) == 6
    for message in numbers:
        before, after = message["whole"]
        assert sum(message["parts"]) == after
        assert sum(n for n in message["parts"] if n > 0) == before


def test_selected_characters_tell_their_life(opened: Opened, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator("[data-step=injection-assembler]").click()
    view.locator("article ins").first.click()

    chain = view.locator(".pop .chain").inner_text()

    assert "preset" in chain
    assert "{{char}}" in chain
    assert "macro char" in chain
    view.page.keyboard.press("Escape")
    assert view.locator(".pop").count() == 0


def test_the_keys_alone_are_enough(opened: Opened, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator("[data-step=injection-assembler]").click()

    def focused(name: str) -> str | None:
        return view.page.evaluate("(name) => document.activeElement.getAttribute(name)", name)

    for _ in range(3):  # the two radio groups, then the messages
        view.page.keyboard.press("Tab")
    for _ in range(20):
        if "preset:0," in (focused("aria-label") or ""):
            break
        view.page.keyboard.press("ArrowDown")
    assert (focused("data-id") or "").startswith("m:")
    view.page.keyboard.press("Enter")
    first = focused("data-span")
    assert view.locator(".pop").count() == 1
    view.page.keyboard.press("ArrowRight")
    assert focused("data-span") != first
    view.page.keyboard.press("Shift+ArrowRight")
    assert "1 character" in view.locator(".pop .ph").inner_text()
    view.page.keyboard.press("Escape")
    assert (focused("data-id") or "").startswith("m:")
    stops = view.locator(".feed > [tabindex='0']")
    assert stops.count() == 1


def test_strangers_text_is_text_everywhere(opened: Opened, tmp_path: Path) -> None:
    trace = hostile()
    view = opened_at(opened, ctxlab_widgets.report(trace, tmp_path / "page.html"))
    for step in trace.steps:
        view.locator(f"[data-step={step.id}]").click()
    view.locator("[data-step=session-loader]").click()

    shown = view.locator(".feed").inner_text()

    assert view.page.title().startswith("What is sent")
    assert view.locator(".feed img, .feed script, .feed b").count() == 0
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert "\\u001b[31mred" in shown
    assert "\u202e" not in shown
    assert "👩‍🚀" in shown


def test_a_fold_opens_and_the_focus_stays_at_hand(opened: Opened, written: Path) -> None:
    view = opened_at(opened, written)
    view.locator("[data-step=regex-processor]").click()
    before = view.locator("article").count()
    fold = view.locator(".foldrow").first
    fold.focus()

    view.page.keyboard.press("Enter")

    assert view.locator("article").count() > before
    assert view.page.evaluate("() => document.activeElement.matches('article')")


def test_it_fits_a_narrow_page(opened: Opened, written: Path) -> None:
    opened.resize(420)
    view = opened_at(opened, written)

    assert view.page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert (
        view.page.evaluate(
            "() => getComputedStyle(document.querySelector('.two')).gridTemplateColumns.split(' ').length"
        )
        == 1
    )


def test_a_report_of_nothing_names_no_message(opened: Opened, tmp_path: Path) -> None:
    run = ctxlab.build(Session(id="empty"))

    view = opened_at(opened, ctxlab_widgets.report(run, tmp_path / "page.html"))

    assert view.locator(".feed .empty").inner_text() == "No messages here."
    page = view.page
    assert page.locator("header p").all_inner_texts() == [
        f"0 messages, {run.tokens} tokens.",
        f"tokens by {run.services.tokenizer.name}",
    ]
    assert page.locator("[role=tab]").all_inner_texts() == ["What is sent", "Steps"]
    page.locator("header a").first.click()
    assert page.locator("#ctxlab-view-sent .empty").inner_text().startswith("Nothing to send")


# --- the tabs


def test_it_opens_with_what_is_sent_and_draws_a_view_when_it_is_wanted(opened: Opened, written: Path) -> None:
    page = opened.open(written)
    names = ["What is sent", "Steps", "Budget", "Injections", "Lore", "Rules", "Tree"]

    assert page.locator("[role=tab]").all_inner_texts() == names
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "What is sent"
    assert page.locator("[role=tabpanel]:visible article").count() > 10
    assert page.locator(".ctxlab").count() == 1
    for name in names[1:]:
        page.get_by_role("tab", name=name).click()
        page.locator("[role=tabpanel]:visible .ctxlab .w").wait_for()
    assert page.locator(".ctxlab").count() == len(names)


def test_arrows_lead_from_tab_to_tab_and_the_address_opens_one(opened: Opened, written: Path) -> None:
    page = opened.open(written)
    page.get_by_role("tab", name="What is sent").focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    assert page.url.endswith("#budget")
    assert page.evaluate("() => document.activeElement.dataset.view") == "budget"
    assert page.locator("[role=tab][tabindex='0']").all_inner_texts() == ["Budget"]
    page.keyboard.press("End")
    page.goto(page.url)
    page.reload()
    page.locator("#ctxlab-view-tree .ctxlab .w").wait_for()
    assert page.locator("[role=tabpanel]:visible").get_attribute("id") == "ctxlab-view-tree"
    page.wait_for_function("() => window.ctxlabHost")
    page.emulate_media(media="print")
    assert page.locator("#ctxlab-view-sent article").first.is_visible()
    assert not page.locator("#ctxlab-view-tree").is_visible()
    page.emulate_media(media="screen")


def test_the_sentence_of_the_run_leads_to_its_views(opened: Opened, harbour: Trace, written: Path) -> None:
    page = opened.open(written)

    assert page.locator("header .summary").inner_text() == str(run_summary(harbour))
    page.locator("header a", has_text="lore entries fired").click()

    page.locator("#ctxlab-view-lore .ctxlab .w").wait_for()
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "Lore"


def test_what_is_chosen_in_one_view_is_chosen_in_all_and_links_lead_there(
    opened: Opened, harbour: Trace, written: Path
) -> None:
    steps = opened_at(opened, written)
    page = steps.page
    page.get_by_role("tab", name="What is sent").click()
    sent = page.locator("#ctxlab-view-sent")

    sent.locator("article[data-ghost='node:a8b']").focus()
    assert steps.locator("article[aria-current]").get_attribute("aria-label")
    assert "a8b" in (steps.locator("article[aria-current]").get_attribute("aria-label") or "")
    lore = next(part for part in harbour.result.drafts[0].parts if part.key.startswith("lore:"))
    sent.locator("article[data-part='0'][data-message='0']").focus()
    sent.locator("article[aria-current]").get_by_role("button", name="Open in Lore").click()

    page.locator("#ctxlab-view-lore .ctxlab .w").wait_for()
    assert page.url.endswith("#lore")
    assert page.evaluate("() => window.ctxlabHost.model.get('opened')") == lore.key


def test_a_view_that_is_too_large_is_left_out_with_a_sentence(
    opened: Opened, harbour: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab_widgets.html_report.MOST_BYTES", 30_000)

    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.get_by_role("tab", name="Steps").click()

    said = page.locator("[role=tabpanel]:visible").inner_text()
    assert said.startswith("Steps is not in this page: it would add")


def test_a_report_with_every_view_is_small(written: Path) -> None:
    assert written.stat().st_size < 850_000


def test_the_page_of_a_conversation_opens_with_its_tree_and_a_chosen_message_is_read_whole(
    opened: Opened, tmp_path: Path
) -> None:
    words = "a flat near the market " * 20
    session = ctxlab.Session(id="porto", name="Porto").append("Where to?", id="q").append("a", role="assistant", id="a")
    session = session.append(words, role="assistant", id="b", parent="q")

    page = opened.open(ctxlab_widgets.report(session, tmp_path / "page.html"))
    page.evaluate("() => window.ctxlabHost.model.put({ selected: 'node:b' })")

    assert page.locator("[role=tab]").all_inner_texts()[:2] == ["Tree", "What is sent"]
    assert page.locator("header .summary").inner_text().startswith("3 messages in 2 branches")
    assert page.locator(".preview .text").inner_text().strip() == words.strip()


def test_the_page_of_a_run_without_branches_has_no_tree(tmp_path: Path) -> None:
    written = ctxlab_widgets.report(ctxlab.build(ctxlab.Session().append("one")), tmp_path / "page.html")

    assert 'data-view="tree"' not in written.read_text()


def test_the_lore_of_a_report_says_what_would_fire_an_entry_in_a_sentence_of_its_own(
    opened: Opened, written: Path
) -> None:
    view = opened_at(opened, written, "lore")

    said = view.locator(".lrow[data-key]:has(.d-blocked) .why").all_inner_texts()

    assert said and all(re.fullmatch(r"[A-Z][^.]*\. To make it fire: .+", text) for text in said), said
