from ctxlab.studies.cases.labelled_cases import LabelledCases as LabelledCases
from ctxlab.studies.cases.labelled_cases import LeftOut as LeftOut
from ctxlab.studies.cases.oracle import ORACLE as ORACLE
from ctxlab.studies.cases.oracle import evidence_first as evidence_first
from ctxlab.studies.cases.retention_cases import retention_cases as retention_cases
from ctxlab.studies.cases.retention_setting import RETENTION as RETENTION
from ctxlab.studies.cases.retention_setting import RetentionSetting as RetentionSetting
