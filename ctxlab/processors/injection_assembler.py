"""Put presets around, into and between the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ctxlab.context import AssetRef, Cause, Context, Draft, Dropped, Origin, Text
from ctxlab.documents import Agent, MessageNode
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.model_match import model_fits
from ctxlab.pipeline import Processor, Services
from ctxlab.processors.depth import index_at_depth, index_of_insertion_point, parse_depths
from ctxlab.processors.placement import ANCHORS, BARE_TITLES, HISTORY, Anchor, Placement, anchor_id, placement_of

ID = "injection-assembler"

_Piece = Draft | tuple[Draft, ...]
"""A preset, or a stretch of history that is taken over as it is."""


class InjectionAssembler(Processor):
    """Place the agent's presets: skeleton, depths, anchors."""

    id = ID
    name = "Injection assembler"
    description = "Places presets around the history, at depths inside it and at anchors, and expands their macros."
    priority = 300
    is_core = True
    needs = ("history",)
    provides = ("presets",)

    def __init__(self, settings: None = None, *, anchors: Sequence[Anchor] = ANCHORS) -> None:
        super().__init__(settings)
        self.anchors = {anchor.id: anchor for anchor in anchors}

    def __call__(self, ctx: Context, services: Services) -> Context:
        agent = ctx.request.agent
        if agent is None or not agent.preset_messages:
            return ctx
        return _Assembly(self.anchors, ctx, agent).result()


@dataclass(slots=True)
class _Around:
    """What stands before and after an anchor, each with its order."""

    before: list[tuple[float, Draft]] = field(default_factory=list[tuple[float, Draft]])
    after: list[tuple[float, Draft]] = field(default_factory=list[tuple[float, Draft]])

    def drafts(self, *, before: bool) -> list[Draft]:
        side = self.before if before else self.after
        return [draft for _, draft in sorted(side, key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True)
class _Point:
    """A message and its place in the history as it was; deeper ones first, then by order."""

    index: int
    depth: float
    order: float
    draft: Draft


class _Assembly:
    """One run of the assembler."""

    def __init__(self, anchors: dict[str, Anchor], ctx: Context, agent: Agent) -> None:
        self.anchors = anchors
        self.ctx = ctx
        self.agent = agent
        self.history = ctx.drafts
        self.skeleton: list[tuple[int, MessageNode]] = []
        self.points: list[_Point] = []
        self.around: dict[str, _Around] = {}
        self.left_out: dict[Cause, list[Draft]] = {}
        self.before_history: list[Draft] = []

    def result(self) -> Context:
        for index, node in enumerate(self.agent.preset_messages):
            self._sort_in(index, node)
        self._rehome_lost_anchors()
        drafts = self._expanded(self._assembled())
        groups = [Dropped(tuple(drafts), cause) for cause, drafts in self.left_out.items()]
        return self.ctx.arrange(drafts, dropped=groups)

    # --- sorting the presets

    def _sort_in(self, index: int, node: MessageNode) -> None:
        place = placement_of(node)
        if not self._is_active(index, node):
            # A placeholder that is switched off still marks where the history goes.
            if anchor_id(node) == HISTORY:
                self.skeleton.append((index, node))
            return
        if place is None:
            self._leave_out(index, node, "no-depth", "it is to go to a depth and names none")
        elif place.kind == "skeleton":
            self.skeleton.append((index, node))
        elif place.kind == "anchor":
            side = self.around.setdefault(place.anchor, _Around())
            where = "before" if place.before else "after"
            draft = self._draft(index, node, "anchor", f"{where} {place.anchor}")
            (side.before if place.before else side.after).append((place.order, draft))
        else:
            self._sort_into_history(index, node, place)

    def _is_active(self, index: int, node: MessageNode) -> bool:
        if not node.enabled:
            self._leave_out(index, node, "disabled", "the preset is switched off")
            return False
        verdict = model_fits(node.model_match, self.ctx.request.model)
        for problem in verdict.problems:
            self._warn(f"preset {index}: {problem}", index)
        if not verdict.fits:
            self._leave_out(index, node, "model-match", "it is not meant for this model")
        return verdict.fits

    def _sort_into_history(self, index: int, node: MessageNode, place: Placement) -> None:
        length = len(self.history)
        if place.kind == "depth":
            draft = self._draft(index, node, "depth", f"depth {place.depth:g}")
            self.points.append(_Point(index_at_depth(place.depth, length=length), place.depth, place.order, draft))
            return
        if place.kind == "point":
            ends_with_user = bool(self.history) and self.history[-1].role == "user"
            at = index_of_insertion_point(place.point, length=length, ends_with_user=ends_with_user)
            draft = self._draft(index, node, "depth", f"insertion point {place.point}")
            self.points.append(_Point(at, length - at, place.order, draft))
            return
        found = parse_depths(place.config, length=length)
        for segment in found.doubtful:
            self._warn(f"preset {index}: {segment!r} in depthConfig {place.config!r} is not a depth or a cycle", index)
        if not found.depths:
            reason = f"no depth of {place.config!r} lies within a history of {length}"
            self._leave_out(index, node, "no-depth", reason)
            return
        once = self._draft(index, node, "depth", "")
        for depth in found.depths:
            meta = {**once.meta, "placed": f"depth {depth}"}
            draft = replace(once, key=f"{once.key}@{depth}", meta=meta)
            self.points.append(_Point(index_at_depth(depth, length=length), depth, place.order, draft))

    def _rehome_lost_anchors(self) -> None:
        """What is to go to an anchor that has no placeholder goes just before the history, with a warning."""
        there = {anchor_id(node) for _, node in self.skeleton} | {HISTORY}
        for name in [name for name in self.around if name not in there]:
            around = self.around.pop(name)
            lost = [*around.drafts(before=True), *around.drafts(before=False)]
            why = "has no placeholder among the presets" if name in self.anchors else "is not known"
            for draft in lost:
                self._warn(f"anchor {name!r} {why}: {draft.key} stands just before the history", draft.meta["index"])
            self.before_history.extend(lost)

    def _leave_out(self, index: int, node: MessageNode, rule: str, reason: str) -> None:
        draft = self._draft(index, node, "none", "")
        self.left_out.setdefault(Cause(ID, rule, reason), []).append(draft)
        if rule == "no-depth":
            self._warn(f"preset {index} is not sent: {reason}", index)

    def _warn(self, text: str, index: int) -> None:
        self.ctx = self.ctx.note("warning", text, processor=ID, preset=index)

    # --- putting it together

    def _assembled(self) -> list[_Piece]:
        out: list[_Piece] = []
        placed: set[str] = set()
        for index, node in self.skeleton:
            name = anchor_id(node)
            if name is None:
                out.append(self._draft(index, node, "skeleton", ""))
            elif name in placed:  # its injections and the history are sent once, words of its own stay
                out.extend(self._template(index, node, name))
            else:
                placed.add(name)
                around = self.around.get(name, _Around())
                out.extend(around.drafts(before=True))
                out.extend(self._history() if name == HISTORY else self._template(index, node, name))
                out.extend(around.drafts(before=False))
        if HISTORY not in placed:
            around = self.around.get(HISTORY, _Around())
            out += [*around.drafts(before=True), *self._history(), *around.drafts(before=False)]
        return out

    def _template(self, index: int, node: MessageNode, name: str) -> list[Draft]:
        """The placeholder's own words where they are shown; elsewhere they are left out like any others."""
        anchor = self.anchors.get(name)
        title = node.content.strip()
        if name == HISTORY or not title or title in BARE_TITLES:
            return []
        if anchor is not None and anchor.has_template:
            return [self._draft(index, node, "template", f"at {name}")]
        self._leave_out(index, node, "placeholder", f"it marks the place of {name}, whose own words are not shown")
        return []

    def _history(self) -> list[_Piece]:
        """The history with what goes into it: places are those of the history as it was, deeper ones first."""
        out: list[_Piece] = list(self.before_history)
        points = sorted(self.points, key=lambda point: (point.index, -point.depth, point.order))
        done = 0
        for point in points:
            if point.index < len(self.history) and self.history[point.index].role == "tool":
                key, place = point.draft.key, point.draft.meta["placed"]
                self._warn(f"{key} ({place}) stands between a tool call and its result", point.draft.meta["index"])
            out.append(self.history[done : point.index])
            out.append(point.draft)
            done = point.index
        out.append(self.history[done:])
        return out

    def _draft(self, index: int, node: MessageNode, placement: str, placed: str) -> Draft:
        origin = Origin("preset", node.id or str(index))
        text = Text.of(node.content, origin)
        assets = self._assets(index, node) if placement != "none" else ()
        return Draft(
            f"preset:{index}",
            node.role,
            (text, *assets),
            origin,
            pinned=True,
            meta={**(node.metadata or {}), "index": index, "placement": placement, "placed": placed},
        )

    def _assets(self, index: int, node: MessageNode) -> tuple[AssetRef, ...]:
        if not node.preset_attachments:
            return ()
        import mimetypes

        known = {str(asset.get("id")): asset for asset in self.agent.assets}
        found: list[AssetRef] = []
        for attachment in node.preset_attachments:
            asset = known.get(attachment.asset_id)
            if asset is None:
                self._warn(f"preset {index} shows asset {attachment.asset_id!r}, which the agent does not have", index)
                continue
            name, path = str(asset.get("filename") or ""), str(asset.get("path") or "")
            kind = str(asset.get("type") or "other")
            found.append(
                AssetRef(
                    id=f"preset-{self.agent.id}-{attachment.asset_id}",
                    kind="document" if kind == "file" else kind,
                    name=name,
                    mime_type=str(asset.get("mimeType") or mimetypes.guess_type(name or path)[0] or ""),
                    size_bytes=asset.get("size"),
                    source={"kind": "agent-private", "agentId": self.agent.id, "relativePath": path},
                )
            )
        return tuple(found)

    def _expanded(self, pieces: Sequence[_Piece]) -> list[Draft]:
        """Macros of presets, in the order in which they are sent; history is never expanded."""
        env = MacroEnv.of(self.agent, self.ctx.request.user)
        out: list[Draft] = []
        for piece in pieces:
            if isinstance(piece, tuple):
                out.extend(piece)
                continue
            expansion = expand(piece.text, env)
            self.ctx = self.ctx.noted(expansion.notes)
            out.append(piece.with_text(expansion.text))
        return out
