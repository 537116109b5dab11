"""Sentences that say how work is to be done from then on, in the forms that people give to programs."""

from __future__ import annotations

import re

from ctxlab.lazy_pattern import lazy_pattern

_START = r"^[\W\d_]*(?:(?:and|also|but|so|then|ok|okay|please)\b[\s,]*){0,3}"
_ORDER = lazy_pattern(
    rf"""
    (?-i:\b(?:MUST|NEVER|ALWAYS|SHOULD|DO\ NOT|ONLY)\b)
    | {_START}(?:prefer|prioriti[sz]e|stick\ to|adhere\ to|refrain\ from|limit|preserve)\b
    | {_START}(?:keep|follow|respect|include)\ (?:the|all|your|our|every|each|any|it|them|names?|answers?|\w+s)\b
      (?!\ (?:up|going|coming|me|in\ touch|company|alive|safe|warm|busy)\b)
    | {_START}use\ (?!(?:of|your\ (?:imagination|head))\b)
    | \bwe\ (?:only|never|always|don't|do\ not)\ (?:ever\ )?(?:use|run|write|commit|push|add|allow|edit|touch|deploy)\b
    | \bonly\ (?:ever\ )?(?:use|run|write|commit|edit|touch|change)\b
    | \bleave\b.{{1,60}}\b(?:alone|as\ (?:it|they)\ (?:is|are)|as[- ]is|un\w+ed)\b
    | \b(?:must|should|has\ to|have\ to|needs?\ to|is\ to|are\ to)\ (?:\w+\ ){{0,2}}(?:stay|remain|be\ kept)
      \ (?:as|in|the|under|below|within|at|on|where|un\w+)\b
    | \b(?:is|are)\ (?:frozen|off[- ]limits|read[- ]only)\b
    | ^\W*(?:\w+\ ){{1,2}}(?:is|are)\ (?:crucial|critical)\W*$
    | \bthere(?:'s|\ is)\ a\ need\ to\b
    | \byou\ (?:can\ and\ )?should\ (?!(?:be|have|know|see|feel|come|try|go|get|talk|call|meet|rest|visit
      |definitely|really|probably|totally|also|check)\b)\w+\ \w+
    | \bi(?:'d|\ would)\ (?:rather|prefer)\ (?:you|that|if|it|to\ have)\b
    | \b(?:at\ most|no\ more\ than|not\ more\ than)\ (?:\d|one|two|three|four|five|ten)
    | {_START}before\ (?:you|any|each|every|\w+ing)\b.{{2,90}}\b(?:check|ask|read|run|make|wait|look|test|confirm)\b
    | \b(?:ask|check\ with|confirm\ with|wait\ for|prompt|warn)\ (?:me|us|the\ user|user)\b
      .{{0,40}}\b(?:before|first|if|when)\b
    | {_START}(?:every|each|all|any)\b.{{1,60}}\b(?:must|should|has\ to|have\ to|needs?\ to|go(?:es)?\ through)\b
    | {_START}no\ (?:direct|new|more|other|external|extra|emojis?|comments?|\w+ing)\b(?!\ (?:problem|worries))
    | \ (?:in\ \w+|at\ \w+\ \d+|with\ \w+),?\ please\b
    | \b(?:as\ a|only\ as\ a|is\ the)?\ ?last\ resort\b
    | \bas\ little\ .{{1,30}}\ as\ possible\b | \bthroughout\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LIST_ITEM = lazy_pattern(
    r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\*\*)?(?:prefer|include|mention|prompt|ask|cite|quote|state|wait|verify|explain|use"
    r"|keep|follow|respect|avoid)\b",
    re.IGNORECASE,
)
_CHINESE_ORDER = lazy_pattern(
    r"一律|(?:所有|每个(?!人)|每次|每条|全部|统一)[^，。；]{0,14}(?:用|要(?!求)|(?<!觉)得|须|不能|放|写|译|填|存|走|命名)"
    r"|(?:^|[，。；：,;\s])(?:但|也|都|请|并且?)?(?:只用|禁用|不能用|不得用|优先(?:用|使用|考虑)|尽量(?:用|使用|少|不)|保持[^，。；]{0,8}(?:一致|不变|原样|兼容|格式|简洁|同步))"
    r"|(?:请|要|得)用[^，。；]{1,12}(?:写|回答|注释|输出|翻译|表示|命名)"
    r"|(?:写|译|答|存|算|统计|引号|对话|注释|变量名?|命名)(?:都|就|一律)?用[^，。；\s]{1,14}(?:[，。；]|$)"
    r"|[\u4e00-\u9fff]{2,8}(?:都|就|一律)?用\s*(?:\d[\d.%]*|[A-Z][A-Za-z0-9.+-]*)\s*(?:[，。；]|$)"
    r"|[里中内](?:都|也)?(?:不要|不能|不得|别)(?=[\u4e00-\u9fff])"
    r"|以后[^，。；]{0,14}(?:都|一律|要|用|别|不要)|控制在[^，。；]{1,12}(?:以内|之内|以下)|(?:不超过|最多|至少)\s*[\d一二三四五六七八九十两]"
    r"|(?:^|[，。；：])先[^，。；]{1,10}再[^，。；]{1,10}"
)
_TELLS = lazy_pattern(
    r"^\W*(?:i|he|she|they|my|his|her|their|it was|it's been|i've|i'm)\b"
    r"(?!'d rather|'d prefer| would| want| need| expect)"
    r"|^[“\"\s]*(?:我|他|她|他们|她们|昨天|今天|上次|小时候)(?!要|希望|们?要求)",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells of somebody, and asks for nothing."""
_LONGEST = 400


def is_order(sentence: str) -> bool:
    """Whether a sentence of user or program says how work is to be done: *keep ...*, *we only use ...*, 一律, 只用."""
    if len(sentence) > _LONGEST or _TELLS.search(sentence):
        return False
    return bool(_ORDER.search(sentence) or _LIST_ITEM.search(sentence) or _CHINESE_ORDER.search(sentence))
