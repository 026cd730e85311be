/// The style of all pages, in light and dark.
///
/// All pairs of a text color and its ground have a contrast of at least 4.5 (WCAG 2.2, level AA); a test computes it.
enum PageStyle {
    static let sheet: StaticString = """
        :root {
          --ground: #fbfbfa; --card: #ffffff; --text: #1c2126; --muted: #59626d; --rule: #d8dce1; --quiet: #eef0f2;
          --accent: #1a5fb4; --accent-ground: #e8f0fb;
          --bad: #a51d14; --bad-ground: #fdecea;
          --loss: #7d4600; --loss-ground: #fdf2dd;
          --good: #17652f; --good-ground: #e6f5ea;
          --inverse: #ffffff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14171a; --card: #1b1f24; --text: #e4e7ea; --muted: #a2abb5; --rule: #363c44; --quiet: #262b31;
            --accent: #8cb8f5; --accent-ground: #1b2c42;
            --bad: #ffa198; --bad-ground: #3d1d1b;
            --loss: #efc06a; --loss-ground: #362a14;
            --good: #86d69b; --good-ground: #17311f;
            --inverse: #14171a;
          }
        }
        :root { color-scheme: light dark; }
        * { box-sizing: border-box; }
        body {
          margin: 0; padding: 2.5rem 1.5rem; background: var(--ground); color: var(--text);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          font-variant-numeric: tabular-nums; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        main, body > footer { max-width: 68rem; margin: 0 auto; }
        h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 3rem 0 1rem; }
        h3 { font-size: 1rem; margin: 0 0 .5rem; }
        section > * + h3 { margin-top: 2rem; }
        section > h2 + h3 { margin-top: 0; }
        p { margin: 0 0 .5rem; }
        ul, ol, dl, dd, figure { margin: 0; padding: 0; }
        ul, ol { list-style: none; }
        code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
          unicode-bidi: isolate; white-space: pre-wrap; }
        .muted, footer { color: var(--muted); }
        .kicker { color: var(--muted); font-size: .875rem; font-weight: 600; margin: 0 0 .25rem; }
        .escape { color: var(--loss); background: var(--loss-ground); border-radius: .2em; }
        body > footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-size: .875rem; }

        .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1px;
          margin-top: 1.5rem; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem;
          overflow: hidden; }
        .facts div { box-shadow: 0 0 0 1px var(--rule); padding: .75rem 1rem; display: flex; flex-direction: column-reverse;
          justify-content: flex-end; }
        .facts dt { color: var(--muted); font-size: .8125rem; }
        .facts dd { font-size: 1.25rem; font-weight: 600; line-height: 1.4; }

        .finding { padding: 1rem 1.25rem; margin-bottom: 1rem; border-radius: .5rem; border: 1px solid var(--rule);
          border-left: .3rem solid var(--muted); background: var(--card); }
        .finding h3 { display: flex; gap: .6rem; align-items: baseline; }
        .finding .sign { flex: none; width: 1.35rem; height: 1.35rem; line-height: 1.35rem; text-align: center;
          border-radius: 50%; font-size: .875rem; background: var(--quiet); color: var(--text); }
        .finding.bad { border-left-color: var(--bad); }
        .finding.bad .sign { background: var(--bad-ground); color: var(--bad); }
        .finding.loss { border-left-color: var(--loss); }
        .finding.loss .sign { background: var(--loss-ground); color: var(--loss); }
        .finding.good { border-left-color: var(--good); }
        .finding.good .sign { background: var(--good-ground); color: var(--good); }
        .finding.good h3 { margin: 0; }
        .finding li + li { margin-top: .35rem; }
        .finding .group + .group { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
        .keys { display: flex; flex-wrap: wrap; gap: .3rem; }
        .finding .keys li { margin: 0; padding: 0 .5rem; border-radius: .3rem; background: var(--quiet); }
        .finding dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin-top: .75rem;
          font-size: .9375rem; }
        .finding dt { color: var(--muted); }

        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
        th, td { text-align: left; vertical-align: top; padding: .45rem .75rem; border-top: 1px solid var(--rule); }
        thead th { border-top: 0; color: var(--muted); font-size: .8125rem; font-weight: 600; }
        th:first-child, td:first-child { padding-left: 0; }
        th:last-child, td:last-child { padding-right: 0; }
        tbody th { font-weight: 600; }
        .number { text-align: right; white-space: nowrap; }
        tr.step th { font-weight: 400; color: var(--muted); padding-left: 1.25rem; }
        tr.step th, tr.step td { border-top: 0; padding-top: 0; }
        tr.step td { color: var(--muted); }
        .steps { font-weight: 400; color: var(--muted); font-size: .875rem; }
        .stacked th, .stacked td { min-width: 6rem; }
        .stacked .number { padding-right: 2rem; }
        .migrations th:first-child { min-width: 13rem; }
        .time { width: 9rem; min-width: 7rem; }
        .bar { display: block; width: 100%; height: .3rem; margin-top: .2rem; background: var(--quiet);
          border-radius: .15rem; }
        .bar rect { fill: var(--accent); }
        .bar.share rect { fill: var(--muted); }

        .date { margin-top: .75rem; font-size: .875rem; }
        .legend span { margin-right: 1rem; white-space: nowrap; }
        .badge { padding: 0 .5em; border-radius: 1em; font-size: .8125rem; font-weight: 400;
          background: var(--quiet); color: var(--text); }
        .badge.bad { background: var(--bad-ground); color: var(--bad); }
        .badge.loss { background: var(--loss-ground); color: var(--loss); }
        .badge.good { background: var(--good-ground); color: var(--good); }

        .line { display: flex; flex-wrap: wrap; gap: 1.5rem 0; }
        .leg { flex: 1 1 11rem; display: grid; grid-template: 1rem 1fr / 1fr auto; }
        .leg.start { flex: 0 0 auto; }
        .leg .track { height: .25rem; margin-top: .875rem; background: var(--rule); }
        .leg.ahead .track { background: repeating-linear-gradient(90deg, var(--accent) 0 .6rem, transparent 0 .9rem); }
        .leg.unreached .track { background: repeating-linear-gradient(90deg, var(--rule) 0 .6rem, transparent 0 .9rem); }
        .leg.failed .track { background: repeating-linear-gradient(90deg, var(--bad) 0 .6rem, transparent 0 .9rem); }
        .stop { text-align: center; min-width: 3.25rem; }
        .dot { display: inline-block; min-width: 2rem; height: 2rem; padding: 0 .5rem; line-height: calc(2rem - 4px);
          border: 2px solid var(--rule); border-radius: 1rem; background: var(--quiet); color: var(--muted);
          font-weight: 600; font-size: .9375rem; }
        .now .dot { background: var(--text); border-color: var(--text); color: var(--inverse); }
        .ahead .dot { background: var(--ground); border-color: var(--accent); color: var(--accent); }
        .ahead.goal .dot { background: var(--accent); color: var(--inverse); }
        .unreached .dot { background: var(--ground); border-color: var(--rule); color: var(--muted); }
        .failed .dot { border-color: var(--bad); color: var(--bad); background: var(--ground); }
        .stop small { display: block; font-size: .75rem; color: var(--muted); line-height: 1.3; margin-top: .2rem; }
        .leg .stations { grid-column: 1; padding: .75rem .75rem 0; font-size: .875rem; }
        .leg .track { grid-column: 1; }
        .leg .stop { grid-column: 2; grid-row: 1 / span 2; }
        .leg.start .stop { grid-column: 1; }
        .stations li { display: grid; grid-template-columns: 1.1rem 1fr; margin-bottom: .5rem; line-height: 1.35; }
        .stations small { display: block; color: var(--muted); font-size: .75rem; }
        .applied .sign { color: var(--muted); }
        .runs .sign { color: var(--accent); }
        .runs strong { color: var(--text); }
        .applied strong { font-weight: 400; color: var(--muted); }
        .fails .sign, .fails strong { color: var(--bad); }
        .waits .sign { color: var(--loss); }
        summary { cursor: pointer; }

        .sample { margin-bottom: 1rem; border: 1px solid var(--rule); border-radius: .5rem; background: var(--card);
          overflow: clip; }
        .sample > header { padding: .5rem 1rem; border-bottom: 1px solid var(--rule); display: flex; flex-wrap: wrap;
          gap: .25rem .6rem; align-items: baseline; }
        .sample > header code { font-weight: 600; }
        .diff { table-layout: fixed; font-size: .875rem; }
        .diff th, .diff td { border: 0; padding: .05rem .75rem .05rem 0; }
        .diff thead th { padding: .35rem .75rem .15rem 2.25rem; font-weight: 400; }
        .diff tr > :nth-child(2) { border-left: 1px solid var(--rule); }
        .diff tbody tr:last-child td { padding-bottom: .5rem; }
        .diff .row { display: grid; grid-template-columns: 2.25rem 1fr; text-decoration: none; }
        .diff .sign { text-align: center; font-weight: 600; }
        .removed td:first-child { background: var(--bad-ground); color: var(--bad); }
        .added td:last-child { background: var(--good-ground); color: var(--good); }
        .changed td { background: var(--loss-ground); color: var(--loss); }
        .changes { table-layout: fixed; font-size: .875rem; }
        .changes th:first-child, .changes td:first-child { padding-left: 1rem; width: 30%; }
        .changes tbody th { font-weight: 400; }
        .changes del, .changes ins { text-decoration: none; }
        .changes .sign { font-weight: 600; padding-right: .5rem; }
        .changes .before { background: var(--bad-ground); color: var(--bad); }
        .changes .after { background: var(--good-ground); color: var(--good); }
        .diff .gap { background: var(--quiet); color: var(--muted); padding: .1rem 2.25rem; }
        .legend { font-size: .875rem; color: var(--muted); }

        @media (max-width: 42rem) {
          body { padding: 1.5rem 1rem; }
          .facts { grid-template-columns: repeat(2, 1fr); }
          .finding { padding: .75rem 1rem; }
          .finding dl { grid-template-columns: 1fr; gap: 0; }
          .finding dd { margin-bottom: .5rem; }
          .line { display: block; }
          .leg { grid-template: auto auto / 3.25rem 1fr; }
          .leg .track { grid-column: 1; grid-row: 1; width: .25rem; height: auto; min-height: 1rem; margin: 0 auto;
            align-self: stretch; }
          .leg.ahead .track { background: repeating-linear-gradient(var(--accent) 0 .6rem, transparent 0 .9rem); }
          .leg.unreached .track { background: repeating-linear-gradient(var(--rule) 0 .6rem, transparent 0 .9rem); }
          .leg.failed .track { background: repeating-linear-gradient(var(--bad) 0 .6rem, transparent 0 .9rem); }
          .leg .stations { grid-column: 2; grid-row: 1; padding: .75rem 0 .25rem .25rem; }
          .leg .stop, .leg.start .stop { grid-column: 1 / span 2; grid-row: 2; text-align: left; display: flex;
            align-items: center; gap: .75rem; }
          .dot { margin-left: calc(1.625rem - 1rem); text-align: center; }
          .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .stacked tr, .stacked th, .stacked td { display: block; }
          .stacked tr { border-top: 1px solid var(--rule); padding: .5rem 0; }
          .stacked th, .stacked td { border: 0; padding: 0; text-align: left; min-width: 0; }
          .stacked td:empty { display: none; }
          .stacked [data-label]::before { content: attr(data-label) ": "; color: var(--muted); }
          .changes tr { padding: .5rem 1rem; }
          .changes tbody th:first-child, .changes td { padding: .1rem .3rem; width: auto; }
          .migrations th, .migrations td { padding-left: .4rem; padding-right: .4rem; font-size: .875rem; }
          .migrations th:first-child { min-width: 8.5rem; padding-left: 0; }
          .time { width: auto; min-width: 4.5rem; }
          .diff thead, .diff .void, .diff .twin { display: none; }
          .diff, .diff tbody, .diff tr, .diff td { display: block; }
          .diff tr > :nth-child(2) { border-left: 0; }
        }
        @media print {
          body { padding: 0; background: none; font-size: 10pt; }
          .finding, .sample, tr, .leg { break-inside: avoid; }
          h2, h3 { break-after: avoid; }
          .scroll { overflow: visible; }
          * { print-color-adjust: exact; }
        }
        """
}
