import Foundation
import Molt

/// A page in one file that loads nothing else: no script, no font, no picture.
///
/// Its style follows the reader's choice of light or dark; see ``PageStyle``.
struct HTMLPage {
    let title: String
    /// The headings and sections, in order.
    let body: HTML
    /// A remark below everything else, such as what the page reveals.
    let foot: HTML

    init(title: String, body: HTML, foot: HTML = HTML()) {
        self.title = title
        self.body = body
        self.foot = foot
    }

    /// The complete file.
    var text: String {
        let page = HTML(.html, HTML.Attribute("lang", "en")) {
            HTML(.head) {
                HTML(.meta, HTML.Attribute("charset", "utf-8"))
                // Even markup from a mistake in this code could not load or run anything.
                HTML(
                    .meta,
                    HTML.Attribute("http-equiv", "Content-Security-Policy"),
                    HTML.Attribute("content", "default-src 'none'; style-src 'unsafe-inline'")
                )
                meta("viewport", "width=device-width, initial-scale=1")
                meta("color-scheme", "light dark")
                meta("generator", "Molt \(MoltRelease.version)")
                HTML.title(title)
                HTML.style(PageStyle.sheet)
            }
            HTML(.body) {
                HTML(.main) { body }
                HTML(.footer) {
                    foot
                    HTML(.p) { "Written by Molt \(MoltRelease.version)." }
                }
            }
        }
        return "<!DOCTYPE html>\n\(page.markup)\n"
    }

    private func meta(_ name: String, _ content: String) -> HTML {
        HTML(.meta, HTML.Attribute("name", name), HTML.Attribute("content", content))
    }
}
