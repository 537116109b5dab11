"""Claude Code's logs (JSON lines): messages linked by `uuid` and `parentUuid`, one session for each `sessionId`.

Lines of one message of the API are one node, with the first line's id. Sidechains are branches of their own under the
root; the active leaf is the last message that is none. Lines of the program itself in the chain of messages (`system`,
`progress`, ...) become disabled nodes; those that end beside it are no branches and are kept, as they are, in
`metadata.claudeCode.asides` of what they hang on. A sub-agent's log is a session of its own, `agent-<agentId>`. A
message that the program wrote in place of a conversation that grew too long is a summary that hides it. What a node
has no field for is kept in `metadata.claudeCode`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.documents import Session
from ctxlab.formats.apps.claude_code_api_messages import Replies, answers, is_reply, message_id
from ctxlab.formats.apps.claude_code_asides import asides_of, past_asides, with_kept
from ctxlab.formats.apps.claude_code_message import ROLES, free_name, nodes_of
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree, parents_first, title, unnamed_leaf
from ctxlab.formats.source import Source, described, mostly
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]
UNNAMED_LEAF = unnamed_leaf("the last message's")


def sniff(data: Any) -> bool:
    if isinstance(data, dict):
        return _is_line(cast("Data", data))
    items = cast("list[Any]", data) if isinstance(data, list) else []
    if not mostly(items, _is_line):
        return False
    said = [item for item in items if _is_message(item)]
    return bool(said or any(map(_is_summary, items))) and not is_of_another_program(said)


def is_of_another_program(lines: Sequence[Any]) -> bool:
    """Whether lines have this program's envelope, but what was said is where Claude Code never puts it."""
    inner = [cast("Data", line)["message"] for line in lines if isinstance(line, dict) and "message" in line]
    messages = [cast("Data", message) for message in inner if isinstance(message, dict)]
    return bool(messages) and not any("content" in message for message in messages)


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return not {"parentUuid", "sessionId", "leafUuid", "snapshot"}.isdisjoint(cast("Data", value))


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("uuid"), str) and "sessionId" in value


def _is_summary(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "summary" and isinstance(value.get("summary"), str)


@dataclass(slots=True)
class _Log:
    """The lines of one session, by the names that their nodes get."""

    lines: dict[str, Data] = field(default_factory=dict[str, Data])
    places: dict[str, str] = field(default_factory=dict[str, str])
    summaries: list[Data] = field(default_factory=list[Data])
    names: Names = field(default_factory=Names)

    def add(self, place: str, line: Data) -> Loss | None:
        uuid = line["uuid"]
        if self.lines.get(uuid) == line:
            return Loss(place, f"message {uuid!r} is there twice, word for word; one is kept")
        key = self.names.take(uuid)
        self.lines[key] = line
        self.places[key] = place
        return Loss(place, f"uuid {uuid!r} is there twice; this one is {key!r} now") if key != uuid else None


def read(source: Source) -> Import:
    losses = list(source.losses)
    logs: dict[str, _Log] = {}
    summaries: list[tuple[str, Data]] = []
    others: dict[str, list[str]] = {}
    for place, line in source.items():
        if _is_summary(line):
            summaries.append((place, line))
        elif isinstance(line, dict) and isinstance(line.get("uuid"), str):
            log = logs.setdefault(str(line.get("sessionId") or source.stem), _Log())
            losses += filter(None, [log.add(place, cast("Data", line))])
        elif isinstance(line, dict) and isinstance(line.get("type"), str):
            others.setdefault(line["type"], []).append(place)
        else:
            losses.append(Loss(place, f"no line of a log, but {described(line)}; it is left out"))
    for kind, places in others.items():
        what = "1 line is" if len(places) == 1 else f"{len(places)} lines are"
        why = "without an id" if kind in ROLES else "which is no message"
        losses.append(Loss(places[0], f"{what} of type {kind!r:.40}, {why}; left out"))
    for place, summary in summaries:
        of = next((log for log in logs.values() if summary.get("leafUuid") in log.lines), None)
        if of is None:
            losses.append(Loss(place, f"the summary of message {summary.get('leafUuid')!r}, which is not in the file"))
        else:
            of.summaries.append(summary)
    names = Names()
    sessions = [
        _session(names.take(_agent_of(log) or session_id), session_id, log, losses) for session_id, log in logs.items()
    ]
    return Import(tuple(sessions), losses=tuple(losses))


def _agent_of(log: _Log) -> str:
    """The id of a log in which one sub-agent alone speaks; "" for a conversation."""
    agents = {line.get("agentId") if line.get("isSidechain") is True else None for line in log.lines.values()}
    agent = agents.pop() if len(agents) == 1 else None
    return f"agent-{agent}" if isinstance(agent, str) and agent else ""


def _session(session_id: str, logged_as: str, log: _Log, losses: list[Loss]) -> Session:
    found: list[Loss] = []
    tree = Tree()
    at: dict[str | None, str] = {None: ROOT}
    tools: dict[str, str] = {}
    links = list(parents_first(with_kept(log.lines, _links(log, found)), found))
    links = list(parents_first(past_asides(links, log.lines, is_of_the_conversation), found))
    replies = Replies(log.lines, links)
    links = list(parents_first(replies.links_in_a_row(log.lines, links), found))
    drawn = _drawn(links, replies)
    asides = asides_of(drawn, log.lines, is_of_the_conversation)
    for key, parent in links:
        at[key] = at[parent]
        if key in asides:
            continue
        own = replies.lines_of(key)
        if not own:  # it is part of a message that an earlier line began
            continue
        nodes = nodes_of([(log.places[line], log.lines[line]) for line in own], tools, found)
        if log.lines[key].get("isCompactSummary") is True:
            nodes[0] = _in_place_of(tree.way_to(at[parent])[1:], nodes[0])
        for n, fields in enumerate(nodes):
            at[key] = tree.add(f"{key}-{n + 1}" if n else key, at[key], fields)
    of_the_root = _keep(asides, at, log, tree)
    leaf = at[_last(log, asides)]
    if _is_forked(drawn, asides, log):
        found.append(UNNAMED_LEAF)
    else:
        tree.select(leaf)
    losses += [loss.inside(session_id) if loss.place.startswith("message") else loss for loss in found]
    times = [line["timestamp"] for line in log.lines.values() if isinstance(line.get("timestamp"), str)]
    titles = [summary["summary"] for summary in log.summaries]
    about: Data = {"summaries": log.summaries} if log.summaries else {}
    about |= {"asides": of_the_root} if of_the_root else {}
    about |= {"sessionId": logged_as} if session_id != logged_as else {}
    return tree.session(
        session_id,
        leaf=leaf,
        name=titles[-1] if titles else _first_words(log) or None,
        createdAt=times[0] if times else None,
        updatedAt=times[-1] if times else None,
        claudeCode=about or None,
    )


def is_of_the_conversation(line: Data) -> bool:
    """Whether a line is a message; others are notes of the program."""
    return line.get("type") in ROLES


def _drawn(links: Sequence[tuple[str, str | None]], replies: Replies) -> list[tuple[str, str | None]]:
    """The links between those lines that begin a message."""
    begun: dict[str | None, str | None] = {None: None}
    for key, parent in links:
        begun[key] = key if replies.lines_of(key) else begun[parent]
    return [(key, begun[parent]) for key, parent in links if begun[key] == key]


def _keep(asides: Mapping[str, str | None], at: Mapping[str | None, str], log: _Log, tree: Tree) -> list[Data]:
    """Keep lines that are no branches with what they hang on; gives those that hang on nothing."""
    beside: dict[str, list[Data]] = {}
    for key in (key for key in log.lines if key in asides):
        beside.setdefault(at[asides[key]], []).append(log.lines[key])
    of_the_root = beside.pop(ROOT, [])
    for node in tree.nodes():
        if node["id"] in beside:
            metadata: Data = node.setdefault("metadata", {})
            rest: Data = metadata.get("claudeCode", {})
            metadata["claudeCode"] = {**rest, free_name(rest, "asides"): beside[node["id"]]}
    return of_the_root


def _is_forked(drawn: Sequence[tuple[str, str | None]], asides: Container[str], log: _Log) -> bool:
    """Whether the conversation, without its sidechains, ends in more than one place."""
    kept = [(key, up) for key, up in drawn if key not in asides]
    main = [(key, up) for key, up in kept if log.lines[key].get("isSidechain") is not True] or kept
    above = {up for _, up in main}
    return sum(key not in above for key, _ in main) > 1


def _first_words(log: _Log) -> str:
    """The beginning of what a person typed first: not what the program put there, nor a command such as /clear."""
    for line in log.lines.values():
        if line.get("type") != "user" or line.get("isMeta") is True:
            continue
        message = line.get("message")
        content = cast("Data", message).get("content") if isinstance(message, dict) else message
        blocks = cast("list[Any]", content) if isinstance(content, list) else [{"text": content}]
        texts = [cast("Data", block).get("text") for block in blocks if isinstance(block, dict)]
        found = next((text for text in texts if isinstance(text, str) and text.strip()), "")
        if found and not found.lstrip().startswith("<"):
            return title(found)
    return ""


def _in_place_of(hidden: list[str], fields: Data) -> Data:
    marks: Data = {"isCompressionNode": True, "compressedNodeIds": hidden}
    return {**fields, "metadata": {**fields.get("metadata", {}), **marks}} if hidden else fields


def _links(log: _Log, losses: list[Loss]) -> dict[str, str | None]:
    links = {key: _parent(line) for key, line in log.lines.items()}
    return links_or_a_row(log.lines, links, log.places, losses)


def links_or_a_row(
    lines: Mapping[str, Data], links: Mapping[str, str | None], places: Mapping[str, str], losses: list[Loss]
) -> dict[str, str | None]:
    """The parents of lines; those of a log that has no links of its own, or no true ones, in the order of the file."""
    main = [key for key, line in lines.items() if line.get("isSidechain") is not True]
    hub = _hub(lines, links, main)
    if hub is not None:
        text = "prompts and answers all name it as their parent; the messages are in the file's order"
        losses.append(Loss(places[hub], text))
    elif len(main) > 1 and not any(links[key] for key in main):
        losses.append(Loss(places[main[0]], "no message names its parent; they are in the file's order"))
    else:
        return dict(links)
    return {**links, **dict(_chained(main))}


def _hub(lines: Mapping[str, Data], links: Mapping[str, str | None], main: Sequence[str]) -> str | None:
    """A line on which several prompts and several answers hang at once, as no conversation does."""
    below: dict[str, tuple[set[str], set[str]]] = {}
    for key in main:
        line, parent = lines[key], links[key]
        if parent in lines and is_of_the_conversation(line) and not answers(line):
            replies, prompts = below.setdefault(parent or "", (set(), set()))
            (replies if is_reply(line) else prompts).add((is_reply(line) and message_id(line)) or key)
    return next((key for key, found in below.items() if min(map(len, found)) > 1), None)


def _chained(keys: list[str]) -> Iterator[tuple[str, str | None]]:
    return zip(keys, [None, *keys[:-1]], strict=True)


def _parent(line: Data) -> str | None:
    """The line above; where a conversation was made shorter, only `logicalParentUuid` still names it."""
    parent = line.get("parentUuid") or line.get("logicalParentUuid")
    return parent if isinstance(parent, str) else None


def _last(log: _Log, asides: Container[str]) -> str:
    kept = [key for key in log.lines if key not in asides]
    main = [key for key in kept if log.lines[key].get("isSidechain") is not True]
    return (main or kept)[-1]


CLAUDE_CODE = Format("claude-code", "conversation", sniff=sniff, read=read, only_conversations=always)
