"""Units of numbers, in English and Chinese, by what they measure."""

from __future__ import annotations

_UNITS = """
    s       1         s sec secs second seconds 秒 秒钟
    s       0.001     ms msec millisecond milliseconds 毫秒
    s       60        min mins minute minutes 分钟
    s       3600      h hr hrs hour hours 小时 个小时 钟头 个钟头
    day     1         day days 天 日
    day     7         week weeks 周 星期 个星期 礼拜 个礼拜
    month   1         month months 个月
    month   12        year years yr yrs 年
    age     1         岁 周岁 years-old year-old
    m       1         m metre metres meter meters 米
    m       0.01      cm centimetre centimetres centimeter centimeters 厘米 公分
    m       0.001     mm millimetre millimetres millimeter millimeters 毫米
    m       1000      km kilometre kilometres kilometer kilometers 公里 千米
    m       500       里路 里地
    mile    1         mile miles mi 英里
    foot    1         ft foot feet 英尺
    foot    0.083333  inch inches 英寸 寸
    g       1         g gram grams gramme grammes 克
    g       0.001     mg milligram milligrams 毫克
    g       1000      kg kgs kilo kilos kilogram kilograms 公斤 千克
    g       500       斤
    g       1000000   tonne tonnes 吨
    pound   1         lb lbs 磅
    l       1         l litre litres liter liters 升
    l       0.001     ml millilitre millilitres milliliter milliliters 毫升
    %       1         % percent percentage 个百分点
    usd     1         usd $ dollar dollars bucks 美元 美金
    usd     0.01      cent cents
    eur     1         eur € euro euros 欧元
    gbp     1         gbp £ 英镑
    cny     1         cny rmb ¥ yuan 元 块 块钱 人民币
    cny     0.1       毛 毛钱
    jpy     1         jpy yen 日元
    b       1         b byte bytes 字节
    b       1000      kb
    b       1000000   mb
    b       1000000000  gb
    b       1000000000000  tb
    b       1024      kib
    b       1048576   mib
    b       1073741824  gib
    bit     1         bit bits 比特
    bit     1000      kbit kbits
    bit     1000000   mbit mbits
    bit     1000000000  gbit gbits
    bit/s   1000      kbps
    bit/s   1000000   mbps
    bit/s   1000000000  gbps
    token   1         tok token tokens
    px      1         px pixel pixels 像素
    °c      1         °c ℃ celsius 摄氏度
    °f      1         °f ℉ fahrenheit 华氏度
    °       1         ° degree degrees 度
    hz      1         hz 赫兹
    hz      1000      khz
    hz      1000000   mhz
    hz      1000000000  ghz
    person  1         person people persons 人 个人 位 名
    time    1         times 次 遍 回
    storey  1         楼 层
    metre²  1         平方米 平米 ㎡
"""
UNITS: dict[str, tuple[str, float]] = {
    name: (row.split()[0], float(row.split()[1])) for row in _UNITS.splitlines() if row for name in row.split()[2:]
} | {"years old": ("age", 1.0), "year old": ("age", 1.0)}
"""By its name in small letters: what a unit measures and how many base units it is."""

CASE_SENSITIVE = {"b": False, "m": True, "g": True, "l": True, "s": True, "h": True}
"""Units of one letter; those of True are written small, as 5M is five millions."""

BITS = {"Kb": "kbit", "Mb": "mbit", "Gb": "gbit"}
"""Units whose letters are large and small so that they are bits, not bytes; in small letters both are bytes."""

MEASURES = [
    "个",
    "条",
    "本",
    "只",
    "头",
    "匹",
    "把",
    "件",
    "首",
    "部",
    "集",
    "场",
    "种",
    "项",
    "家",
    "间",
    "座",
    "辆",
    "台",
    "瓶",
    "杯",
    "碗",
    "盘",
    "份",
    "包",
    "袋",
    "盒",
    "箱",
    "双",
    "对",
    "套",
    "顿",
    "口",
    "步",
    "篇",
    "道",
    "门",
    "棵",
    "朵",
    "颗",
    "粒",
    "片",
    "段",
    "张",
    "句",
    "字",
    "章",
    "节",
    "页",
    "号",
    "倍",
    "级",
    "届",
    "期",
    "轮",
    "组",
    "排",
    "支",
    "枝",
    "根",
    "副",
    "幅",
    "封",
    "笔",
    "款",
    "样",
    "班",
    "所",
    "艘",
    "架",
    "串",
    "束",
    "堆",
    "滴",
    "团",
    "股",
    "幢",
    "栋",
    "阶段",
    "课",
    "堂",
    "关",
    "路",
    "分",
    "例",
    "成",
]
"""Chinese words between a number and what it counts."""

SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12} | {
    "百": 1e2,
    "千": 1e3,
    "万": 1e4,
    "十万": 1e5,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
}
