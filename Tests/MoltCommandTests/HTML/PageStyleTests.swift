import Foundation
import Testing

@Suite("The style of a page") struct PageStyleTests {
    /// The pairs of a text color and its ground.
    private static let pairs = [
        ("text", ["ground", "card", "quiet"]), ("muted", ["ground", "card", "quiet"]), ("accent", ["ground"]),
        ("bad", ["bad-ground", "ground", "card"]), ("loss", ["loss-ground", "ground", "card"]),
        ("good", ["good-ground"]), ("inverse", ["text", "accent"]),
    ]

    @Test(arguments: ["light", "dark"])
    func `has enough contrast in both schemes`(scheme: String) async throws {
        let store = try ReportStore()
        await store.run().expect()
        let sheet = try store.text
        let start = try #require(sheet.range(of: "@media (prefers-color-scheme: dark)"))
        let rules = scheme == "light" ? sheet[..<start.lowerBound] : sheet[start.upperBound...]
        for (text, grounds) in Self.pairs {
            for ground in grounds {
                let contrast = try contrast(color(text, in: rules), color(ground, in: rules))
                #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
            }
        }
    }

    private func color(_ name: String, in rules: Substring) throws -> [Double] {
        let match = try #require(rules.firstMatch(of: try Regex(#"--\#(name): #([0-9a-f]{6});"#)))
        let number = try #require(match.output[1].substring.flatMap { Int($0, radix: 16) })
        return [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { Double($0) / 255 }
    }

    /// The contrast ratio of WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
    private func contrast(_ one: [Double], _ other: [Double]) -> Double {
        let (first, second) = (luminance(one), luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private func luminance(_ color: [Double]) -> Double {
        let linear = color.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
