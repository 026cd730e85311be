/// A path into a setting's value: the steps that lead to it from the whole value.
///
/// The keys of dictionaries are part of the value and may be user input. ``description`` and errors therefore omit
/// them; ``fullDescription`` shows them.
package struct ValuePath: Hashable, Sendable {
    /// One step into a container.
    package enum Step: Hashable, Sendable {
        case index(Int)
        case key(String)
        /// A property of a Codable type; its name comes from the app and is not user data.
        case property(String)
    }

    /// The steps, outermost first; empty for the whole value.
    var steps: [Step]

    /// Creates a path from its steps; without steps it is the whole value.
    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// The path including the keys of dictionaries, such as `["Ada"][0].name`.
    ///
    /// - Important: It contains a part of the value. Do not log it where users' data must not go.
    package var fullDescription: String {
        text { $0 }
    }

    private func text(_ shown: (String) -> String) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += "[\"\(shown(key))\"]"
            case .property(let name): text += text.isEmpty ? name : ".\(name)"
            }
        }
        return text
    }
}

extension ValuePath: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path without the keys of dictionaries, such as `["…"][0].name`; empty for the whole value.
    package var description: String {
        text { _ in "…" }
    }

    /// The same as ``description``, so that a path printed inside another value does not show keys either.
    package var debugDescription: String {
        description
    }

    /// An empty mirror, so that `dump` does not show keys either.
    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}
