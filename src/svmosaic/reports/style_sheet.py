"""The look of all pages: light and dark, wide and narrow, on screen and on paper."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { --text: #1b1e24; --soft: #5a616d; --page: #ffffff; --card: #f4f6f9; --line: #d9dde4;
  --link: #0059a8; --mark: #e3eefb; --shade: #00000038; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaf0; --soft: #a3aab8; --page: #15171b; --card: #1f2229; --line: #383d48;
    --link: #7cbcff; --mark: #1d3450; --shade: #ffffff26; }
  figure img { filter: brightness(.92); }
  figure img.follows { filter: none; background: none; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem 3rem; background: var(--page);
  color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .6rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.8rem 0 .6rem; padding-top: 1.2rem;
  border-top: 1px solid var(--line); }
p { margin: .6rem 0; max-width: 48rem; }
a { color: var(--link); }
.facts { display: grid; gap: .6rem; margin: 1.3rem 0; padding: 0;
  grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
.facts div { display: flex; flex-direction: column; padding: .65rem .9rem .7rem;
  background: var(--card); border-radius: .6rem; }
.facts dt { color: var(--soft); font-size: .8rem; }
.facts dd { order: -1; margin: 0; font-size: 1.3rem; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
nav ol { display: flex; flex-wrap: wrap; gap: .35rem .5rem; margin: 1.2rem 0 0; padding: 0;
  list-style: none; font-size: .9rem; }
nav a { display: block; padding: .2rem .75rem; border: 1px solid var(--line);
  border-radius: 1rem; text-decoration: none; }
nav a:hover { background: var(--mark); }
.caption { margin: 1.3rem 0 .4rem; color: var(--soft); font-size: .9rem; }
.hint { display: none; margin: .5rem 0 .3rem; color: var(--soft); font-size: .82rem; }
.scroll { overflow-x: auto; max-width: 100%; border: 1px solid var(--line); border-radius: .6rem;
  background: linear-gradient(to left, var(--page), transparent) right / 2rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .38rem .8rem; text-align: left; white-space: nowrap; }
thead th { max-width: 12rem; background: var(--card); border-bottom: 1px solid var(--line);
  white-space: normal; overflow-wrap: break-word; vertical-align: bottom; }
tbody th { position: sticky; left: 0; min-width: min(9rem, 32vw); max-width: 16rem;
  background: var(--page); font-weight: inherit; white-space: normal;
  overflow-wrap: break-word; }
.long { min-width: 18rem; max-width: 40rem; white-space: normal; }
thead th:first-child { position: sticky; left: 0; }
tbody tr + tr > * { border-top: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
tbody + tbody { border-top: 2px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td strong { font-weight: 700; }
td.best { background: var(--mark); }
small { margin-left: .35em; color: var(--soft); font-size: .85em; }
.figures { display: grid; gap: 1rem; margin: 1.1rem 0; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; padding: .6rem; border: 1px solid var(--line); border-radius: .6rem; }
figure img { display: block; width: 100%; max-width: 34rem; height: auto; margin: 0 auto;
  background: #ffffff; border-radius: .3rem; }
figcaption { padding: .5rem .3rem 0; color: var(--soft); font-size: .87rem; line-height: 1.45; }
details { margin: .8rem 0; padding: 0 .9rem; border: 1px solid var(--line); border-radius: .6rem; }
summary { padding: .55rem 0; cursor: pointer; font-size: .95rem; font-weight: 550; }
details[open] { padding-bottom: .9rem; }
pre { margin: .3rem 0; padding: .8rem 1rem; overflow-x: auto; background: var(--card);
  border-radius: .5rem; font: .82rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  overflow-wrap: normal; }
footer { margin-top: 3.2rem; padding-top: .9rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .85rem; }
@media (max-width: 34rem) {
  body { padding: 1.2rem .9rem 2rem; }
  h1 { font-size: 1.5rem; }
  h2 { font-size: 1.15rem; margin-top: 2.2rem; }
  .facts { grid-template-columns: repeat(auto-fit, minmax(6.6rem, 1fr)); gap: .45rem; }
  .facts dd { font-size: 1.1rem; }
  th, td { padding: .34rem .6rem; }
  tbody th { max-width: 36vw; }
  .long { min-width: 15rem; }
  .hint { display: block; }
  .hint::after { content: "\\a0\\2192"; }
  .wide { overflow-x: auto; }
  .wide img { width: 32rem; max-width: none; }
  details { padding: 0 .6rem; }
  details[open] { padding-bottom: .6rem; }
}
@media print {
  :root { --text: #000000; --soft: #444444; --page: #ffffff; --card: #ffffff; --line: #bbbbbb;
    --link: #000000; --mark: #ffffff; --shade: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .hint { display: none; }
  .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  figure img { filter: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
