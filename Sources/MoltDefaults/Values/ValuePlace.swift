/// A place inside a setting's value: the steps that lead to it from the whole value.
///
/// The keys of dictionaries are a part of the value, and may be anything that the user typed. So ``description`` does
/// not show them, and neither does any error; ``fullDescription`` does.
public struct ValuePlace: Hashable, Sendable {
    /// One step into a container.
    public enum Step: Hashable, Sendable {
        /// Into an array, from 0.
        case index(Int)
        /// Into a dictionary.
        case key(String)
        /// Into what a Codable type wrote: the name of a property, which is the app's own and no user's data.
        case property(String)
    }

    /// The steps, the outermost first; none for the whole value.
    public var steps: [Step]

    /// Creates a place from its steps; without any it is the whole value.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// The place with the keys of dictionaries, such as `["Ada"][0].name`.
    ///
    /// - Important: It holds a part of the value; do not log it where users' data must not go.
    public var fullDescription: String {
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

extension ValuePlace: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The place without the keys of dictionaries, such as `["…"][0].name`; empty for the whole value.
    public var description: String {
        text { _ in "…" }
    }

    /// The same as ``description``: a place that is printed inside something else does not show keys either.
    public var debugDescription: String {
        description
    }

    /// Nothing but the description: `dump` does not show keys either.
    public var customMirror: Mirror {
        Mirror(self, children: [])
    }
}
