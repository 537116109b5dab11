#!/usr/bin/env bash
# ipykernel 7.4.0, jupyter_client 8.10.0: a comm message that names a subshell in its header is handled there, beside a
# running cell, only until the kernel's side of that comm has sent something. From then on messages of the comm go to the
# thread that sent last, mostly the main one, whatever subshell they name, and wait for the cell that runs there. So the widgets
# of a page of JupyterLab 4.6, whose setting commsOverSubshells is "perCommTarget", are deaf while a cell runs, as before
# subshells: each of them has sent its state when it was made. With ipykernel 7.0.0 the same message is heard beside the cell.
# An expert would guess from the header, and from JupyterLab's setting, that the subshell decides.
# Seen with 7.4.0: {"before it sent": "subshell, while the cell ran", "after it sent": "main, once the cell had ended"}
# Seen with 7.0.0: {"before it sent": "subshell, while the cell ran", "after it sent": "subshell, while the cell ran"}
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export JUPYTER_DATA_DIR="$work/data" JUPYTER_RUNTIME_DIR="$work/run" IPYTHONDIR="$work/ipython" JUPYTER_PLATFORM_DIRS=1
cat > "$work/drive.py" <<'PY'
import json
import sys
import time

from jupyter_client.manager import start_new_kernel

SETUP = """
import threading, time
from comm import get_comm_manager
heard, comms = [], []
def opened(comm, message):
    comms.append(comm)
    comm.on_msg(lambda _: heard.append(threading.current_thread() is threading.main_thread()))
get_comm_manager().register_target("trial", opened)
"""
CELL = """
heard.clear()
end = time.monotonic() + 3
while time.monotonic() < end and not heard:
    time.sleep(0.01)
ran = bool(heard)
"""
SAY = "print(heard[0] if heard else None, ran)"


def printed(client, code):
    said = []
    hook = lambda m: said.append(m["content"].get("text", "")) if m["msg_type"] == "stream" else None
    client.execute_interactive(code, timeout=60, output_hook=hook)
    return "".join(said).strip()


def send(client, kind, content, subshell):
    message = client.session.msg(kind, content)
    message["header"]["subshell_id"] = subshell
    client.shell_channel.send(message)


def where(client, subshell):
    """Which thread hears a message that is sent while a cell of three seconds runs, and when."""
    number = client.execute(CELL)
    time.sleep(0.7)
    send(client, "comm_msg", {"comm_id": "c1", "data": {}}, subshell)
    while client.get_shell_msg(timeout=60)["parent_header"].get("msg_id") != number:
        pass
    time.sleep(0.5)
    is_main, beside = printed(client, SAY).split()
    return f"{'main' if is_main == 'True' else 'subshell'}, {'while the cell ran' if beside == 'True' else 'once the cell had ended'}"


manager, client = start_new_kernel(kernel_name="python3")
try:
    printed(client, SETUP)
    request = client.session.msg("create_subshell_request", {})
    client.control_channel.send(request)
    reply = client.get_control_msg(timeout=60)
    while reply["parent_header"].get("msg_id") != request["header"]["msg_id"]:
        reply = client.get_control_msg(timeout=60)
    subshell = reply["content"]["subshell_id"]
    send(client, "comm_open", {"comm_id": "c1", "target_name": "trial", "data": {}}, subshell)
    while printed(client, "print(len(comms))") != "1":
        time.sleep(0.1)
    before = where(client, subshell)
    printed(client, "comms[0].send({})")
    after = where(client, subshell)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
found = {"before it sent": before, "after it sent": after}
print(sys.argv[1], json.dumps(found))
beside = "subshell, while the cell ran"
assert found == {"before it sent": beside, "after it sent": beside if sys.argv[1] == "7.0.0" else "main, once the cell had ended"}
PY
for version in 7.4.0 7.0.0; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" install --quiet --disable-pip-version-check "ipykernel==$version" "jupyter_client==8.10.0" "comm==0.2.3"
  "$work/$version/bin/python" "$work/drive.py" "$version" 2> >(grep -v WARNING >&2)
done
