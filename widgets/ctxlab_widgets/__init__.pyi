# The public names and where each is defined. `__init__.py` imports a name when it is first used.

from ctxlab_widgets.agent_form import AgentForm as AgentForm
from ctxlab_widgets.branch_tree import BranchTree as BranchTree
from ctxlab_widgets.chat_panel import ChatPanel as ChatPanel
from ctxlab_widgets.compare import Compare as Compare
from ctxlab_widgets.compression_view import CompressionView as CompressionView
from ctxlab_widgets.html_report import report as report
from ctxlab_widgets.injection_map import InjectionMap as InjectionMap
from ctxlab_widgets.knowledge_base_view import KnowledgeBaseView as KnowledgeBaseView
from ctxlab_widgets.knowledge_view import KnowledgeView as KnowledgeView
from ctxlab_widgets.lab_page import lab as lab
from ctxlab_widgets.lore_view import LoreView as LoreView
from ctxlab_widgets.recording_view import RecordingView as RecordingView
from ctxlab_widgets.request_view import RequestView as RequestView
from ctxlab_widgets.rule_view import RuleView as RuleView
from ctxlab_widgets.section_form.settings_form import SettingsForm as SettingsForm
from ctxlab_widgets.section_form.user_form import UserForm as UserForm
from ctxlab_widgets.sent_view import SentView as SentView
from ctxlab_widgets.step_debugger import StepDebugger as StepDebugger
from ctxlab_widgets.study import Study as Study
from ctxlab_widgets.token_budget import TokenBudget as TokenBudget
from ctxlab_widgets.token_view import TokenView as TokenView
from ctxlab_widgets.workspace_view import WorkspaceView as WorkspaceView
