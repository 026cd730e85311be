/// A place inside a setting's value.
///
/// The keys of dictionaries are a part of the value: whoever prints a place does not see them unless they ask.
package struct ValuePlace: Hashable, Sendable, CustomStringConvertible {
    /// One step into a container.
    package enum Step: Hashable, Sendable {
        /// Into an array, from 0.
        case index(Int)
        /// Into a dictionary.
        case key(String)
    }

    /// The steps, the outermost first; none for the whole value.
    package var steps: [Step]

    /// Creates a place from its steps.
    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// The place with its indices, such as `["…"][0]`; empty for the whole value.
    package var description: String {
        text { _ in "…" }
    }

    /// The place with the keys of dictionaries too, such as `["k"][0]`: for reports, never for errors.
    package var withKeys: String {
        text { $0 }
    }

    private func text(_ name: (String) -> String) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += "[\"\(name(key))\"]"
            }
        }
        return text
    }
}
