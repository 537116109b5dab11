from ctxlab.engines.compression.compression_report import CheckedFact as CheckedFact
from ctxlab.engines.compression.compression_report import CompressionReport as CompressionReport
from ctxlab.engines.compression.compression_report import compression_report as compression_report
from ctxlab.engines.compression.extractive_summary import Summary as Summary
from ctxlab.engines.compression.extractive_summary import SummarySentence as SummarySentence
from ctxlab.engines.compression.extractive_summary import extractive_summary as extractive_summary
from ctxlab.engines.compression.sentences import sentences as sentences
from ctxlab.engines.compression.source_text import SourceText as SourceText
