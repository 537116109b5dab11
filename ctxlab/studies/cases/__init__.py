"""Cases for studies: conversations with questions and labelled evidence, and the setting in which they are built."""

from ctxlab.public_names import listed
from ctxlab.studies.cases.labelled_cases import LabelledCases, LeftOut
from ctxlab.studies.cases.oracle import ORACLE, evidence_first
from ctxlab.studies.cases.retention_cases import retention_cases
from ctxlab.studies.cases.retention_setting import RETENTION, RetentionSetting

__all__ = [
    "ORACLE",
    "RETENTION",
    "LabelledCases",
    "LeftOut",
    "RetentionSetting",
    "evidence_first",
    "retention_cases",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
