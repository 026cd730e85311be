import Testing

@testable import MoltCommand

@Suite struct `Text in markup` {
    @Test func `cannot end the element or the attribute that it is in`() {
        #expect(EscapedText.attribute("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;")
        #expect(
            EscapedText.content("<b>&\n\u{202E}", keepsLines: true) == "&lt;b&gt;&amp;\n"
                + "<span class=\"escape\">\\u{202E}</span>"
        )
    }
}
