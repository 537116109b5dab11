from ctxlab.studies.branches.session_branches import SessionBranches as SessionBranches
from ctxlab.studies.branches.session_branches import session_branches as session_branches
from ctxlab.studies.branches.token_flow import TokenFlow as TokenFlow
from ctxlab.studies.branches.token_flow import token_flow as token_flow
