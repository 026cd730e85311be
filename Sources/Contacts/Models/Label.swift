internal import Molt

/// How people with a label look in the list; the same in every release so far.
package struct Label: Codable, Hashable, Sendable, DefaultsSerializable {
    /// The angle on the color wheel, from 0 to 359.
    package var hue: Int

    /// Creates a label.
    package init(hue: Int) {
        self.hue = hue
    }
}
