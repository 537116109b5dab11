from ctxlab.testing.fake_server.refusal import Refusal as Refusal
from ctxlab.testing.fake_server.refusals import refusals_of as refusals_of
from ctxlab.testing.fake_server.script import FakeCall as FakeCall
from ctxlab.testing.fake_server.script import FakeReply as FakeReply
from ctxlab.testing.fake_server.script import FakeRequest as FakeRequest
from ctxlab.testing.fake_server.server import FakeServer as FakeServer
from ctxlab.testing.generator import generated_agent as generated_agent
from ctxlab.testing.generator import generated_session as generated_session
