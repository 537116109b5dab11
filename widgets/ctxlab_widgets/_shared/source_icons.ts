// Written by write_sources.py from ctxlab/display/source_styles.py: change it there, then run `make widgets`.

/** An icon: first what is filled, then what is stroked, with its width. */
export const SOURCE_ICONS: Record<string, [string, ...[path: string, width: number][]]> = {
  "preset": [
    "M2 2h8v8H2z"
  ],
  "profile": [
    "M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 0 0 0-8.8z"
  ],
  "lore": [
    "M6 .8 11.2 6 6 11.2.8 6z"
  ],
  "knowledge": [
    "M6 1.2 11.4 10.8H.6z"
  ],
  "tools": [
    "M4.4 1h3.2v3.4H11v3.2H7.6V11H4.4V7.6H1V4.4h3.4z"
  ],
  "attachment": [
    "",
    [
      "M3.4 1.4h5.2L11.2 6 8.6 10.6H3.4L.8 6z",
      1.8
    ]
  ],
  "macro": [
    "",
    [
      "M4.6 1.4C2.6 1.4 4 5.2 1.6 6 4 6.8 2.6 10.6 4.6 10.6M7.4 1.4c2 0 .6 3.8 3 4.6-2.4.8-1 4.6-3 4.6",
      1.5
    ]
  ],
  "overhead": [
    "M1 4.6h2.8v2.8H1zM4.6 4.6h2.8v2.8H4.6zM8.2 4.6H11v2.8H8.2z"
  ],
  "summary": [
    "M2 1h8L6.6 6 10 11H2l3.4-5z"
  ],
  "history": [
    "M1 2h10v2.2H1zM1 7.4h7v2.2H1z"
  ]
};

/** By kind of an origin, the name of its source. */
export const SOURCE_OF_KIND: Record<string, string> = {
  "preset": "preset",
  "profile": "profile",
  "persona": "profile",
  "user": "profile",
  "lore": "lore",
  "knowledge": "knowledge",
  "transcript": "attachment",
  "attachment": "attachment",
  "macro": "macro",
  "variable": "macro",
  "summary": "summary",
  "node": "history",
  "pending": "history"
};
