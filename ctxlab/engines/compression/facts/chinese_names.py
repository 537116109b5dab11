"""Names of people and places in Chinese texts: few kinds, each by a rule that can be read, rather than all by guess.

A dictionary's guess alone takes *thank you* and *climbing* for names; so a person is one whose surname is a usual one
and who has two more characters, or who is introduced or titled somewhere; a place is in a list or ends as places do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.lazy_pattern import lazy_pattern

_SURNAMES = """
    王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任
    姜范方石姚谭廖邹熊金陆郝孔崔康邱秦江史顾侯邵孟龙万雷钱汤尹黎易常武乔贺赖龚文宫焦欧柳司
"""
_SURNAME = f"[{''.join(_SURNAMES.split())}]"
_COMPOUND = "欧阳|司马|上官|诸葛|司徒|东方|慕容|令狐|皇甫|夏侯|尉迟|公孙|端木|南宫"
_PERSON = rf"(?:(?:{_COMPOUND})[\u4e00-\u9fff]{{1,2}}|{_SURNAME}[\u4e00-\u9fff]{{1,2}})"
_HALVES = lazy_pattern("[\ud800-\udfff]")
"""Halves of surrogate pairs, which have no UTF-8."""
_INTRODUCED = lazy_pattern(
    rf"(?:我叫|名叫|叫做|叫作|名字是|名字叫|我是|这是|这位是|认识你[，,])(?P<name>{_PERSON}|[小老阿][\u4e00-\u9fff]{{1,2}})(?=[，。！,.!;；、\s”]|$)"
)
_TITLED = lazy_pattern(
    rf"(?P<name>(?:{_SURNAME}|[小老阿]{_SURNAME}))(?:先生|女士|老师|小姐|教授|医生|经理|博士|总监|主任|律师|师傅|阿姨|叔叔)"
)

_SOUNDS = frozenset(
    "阿埃艾安奥巴贝比博伯布查达德蒂丁杜多尔法菲费弗福盖戈格哈海汉赫霍基吉加杰卡凯坎康柯科克库拉莱兰朗劳勒雷里利列林卢鲁伦罗洛玛马麦曼"
    "梅门蒙米莫姆纳南内尼努诺帕佩皮普奇乔切琼热萨塞桑瑟沙莎史斯司苏索塔泰坦汤特提托瓦威维魏温沃乌西希夏肖谢辛休亚耶伊英尤约泽扎詹珍"
    "朱兹佐士那开丹杉矶彻顿逊森登墨哥牙意"
)
"""Characters by which foreign names are written as they sound."""
_ABROAD = lazy_pattern(rf"[{''.join(sorted(_SOUNDS))}]{{1,6}}(?:·[{''.join(sorted(_SOUNDS))}]{{1,6}}){{1,3}}")
_PLACES = frozenset(
    [
        "中国",
        "美国",
        "英国",
        "法国",
        "德国",
        "日本",
        "韩国",
        "朝鲜",
        "俄罗斯",
        "印度",
        "泰国",
        "越南",
        "新加坡",
        "马来西亚",
        "印尼",
        "菲律宾",
        "澳大利亚",
        "新西兰",
        "加拿大",
        "墨西哥",
        "巴西",
        "阿根廷",
        "智利",
        "秘鲁",
        "古巴",
        "西班牙",
        "葡萄牙",
        "意大利",
        "希腊",
        "土耳其",
        "埃及",
        "南非",
        "荷兰",
        "比利时",
        "瑞士",
        "瑞典",
        "挪威",
        "丹麦",
        "芬兰",
        "冰岛",
        "波兰",
        "捷克",
        "奥地利",
        "匈牙利",
        "爱尔兰",
        "苏格兰",
        "以色列",
        "伊朗",
        "伊拉克",
        "沙特",
        "蒙古",
        "缅甸",
        "老挝",
        "柬埔寨",
        "尼泊尔",
        "巴基斯坦",
        "乌克兰",
        "欧洲",
        "亚洲",
        "非洲",
        "美洲",
        "北美",
        "南美",
        "拉美",
        "中东",
        "东南亚",
        "大洋洲",
        "南极",
        "北极",
        "北京",
        "上海",
        "天津",
        "重庆",
        "香港",
        "澳门",
        "台湾",
        "河北",
        "山西",
        "辽宁",
        "吉林",
        "黑龙江",
        "江苏",
        "浙江",
        "安徽",
        "福建",
        "江西",
        "山东",
        "河南",
        "湖北",
        "湖南",
        "广东",
        "海南",
        "四川",
        "贵州",
        "云南",
        "陕西",
        "甘肃",
        "青海",
        "内蒙古",
        "广西",
        "西藏",
        "宁夏",
        "新疆",
        "石家庄",
        "太原",
        "沈阳",
        "大连",
        "长春",
        "哈尔滨",
        "南京",
        "苏州",
        "无锡",
        "杭州",
        "宁波",
        "温州",
        "合肥",
        "福州",
        "厦门",
        "泉州",
        "南昌",
        "济南",
        "青岛",
        "烟台",
        "郑州",
        "洛阳",
        "武汉",
        "长沙",
        "广州",
        "深圳",
        "珠海",
        "东莞",
        "佛山",
        "海口",
        "三亚",
        "成都",
        "贵阳",
        "昆明",
        "大理",
        "丽江",
        "拉萨",
        "西安",
        "兰州",
        "西宁",
        "银川",
        "乌鲁木齐",
        "呼和浩特",
        "桂林",
        "南宁",
        "台北",
        "高雄",
        "舟山",
        "绍兴",
        "扬州",
        "张家界",
        "阳朔",
        "九寨沟",
        "漓江",
        "珠峰",
        "长城",
        "故宫",
        "东京",
        "大阪",
        "京都",
        "首尔",
        "曼谷",
        "巴黎",
        "伦敦",
        "柏林",
        "罗马",
        "米兰",
        "威尼斯",
        "马德里",
        "纽约",
        "旧金山",
        "洛杉矶",
        "芝加哥",
        "波士顿",
        "华盛顿",
        "多伦多",
        "温哥华",
        "悉尼",
        "墨尔本",
        "莫斯科",
        "迪拜",
        "维也纳",
        "布拉格",
        "阿姆斯特丹",
        "苏黎世",
        "日内瓦",
        "雅典",
        "开罗",
        "长江",
        "黄河",
        "太湖",
        "西湖",
    ]
)
_PLACE_ENDS = lazy_pattern(
    r"[\u4e00-\u9fff]{1,7}(?:山|江|湖|省|县|镇|村|岛|寺|宫|港|湾|峰|公园|博物院|博物馆|大学|医院|高原|草原|沙漠)$"
)
_NO_PLACES = frozenset(
    [
        "内省",
        "反省",
        "节省",
        "登山",
        "上山",
        "爬山",
        "下山",
        "雪山",
        "高山",
        "火山",
        "深山",
        "大山",
        "江山",
        "山峰",
        "高峰",
        "农村",
        "乡村",
        "海湾",
        "博物馆",
        "博物院",
        "大学",
        "医院",
        "公园",
        "高原",
        "草原",
        "沙漠",
        "海岛",
        "皇宫",
        "岛",
    ]
)
_PERSON_TAGS = frozenset({"nr", "nrt", "nrfg", "nz", "ns"})
_NO_PERSON = lazy_pattern(r"[鸡鱼肉菜汤面饭茶酒糖花血的了是在不很都和我你他她有说看里些时么们个样]")
_THREE = lazy_pattern(rf"(?:{_COMPOUND})[\u4e00-\u9fff]{{1,2}}|{_SURNAME}[\u4e00-\u9fff]{{2}}")


def introduced_names(text: str) -> Iterator[str]:
    """Names of people by whom a text says that they are one: *my name is*, a title behind a surname."""
    for pattern in (_INTRODUCED, _TITLED):
        for match in pattern.finditer(text):
            if not _NO_PERSON.search(match["name"]):
                yield match["name"]


def chinese_names(text: str, introduced: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    """Start and end of each name of a person or place in a text; `introduced` finds those that are known as names."""
    import rjieba

    for match in _ABROAD.finditer(text):
        yield match.span()
    if introduced is not None:
        for match in introduced.finditer(text):
            yield match.span()
    at = 0
    for word, tag in rjieba.tag(_HALVES.sub("\ufffd", text)):
        end = at + len(word)
        if len(word) > 1 and _is_name(word, tag):
            yield at, end
        at = end


def _is_name(word: str, tag: str) -> bool:
    if word in _PLACES:
        return True
    if tag not in _PERSON_TAGS and tag != "nt":
        return False
    if len(word) >= 3 and all(each in _SOUNDS for each in word):
        return True
    if tag in ("ns", "nt") and _PLACE_ENDS.match(word):
        return word not in _NO_PLACES
    return tag == "nr" and bool(_THREE.fullmatch(word)) and not _NO_PERSON.search(word)
