internal import Molt

/// A sample's content with one change, which its release could have written, too.
struct ContentVariation {
    /// The change in words, such as `without "address"`.
    let text: String
    let bytes: [UInt8]

    /// All variations of a content: each optional property absent and null, each object empty if its type allows it,
    /// and each known case of an enum.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - forms: What all samples of the type show.
    ///   - hasNulls: Whether the release could have written null.
    static func all(of content: ShapedContent, _ forms: SampledForms, hasNulls: Bool = true) -> [ContentVariation] {
        guard let whole = content.positions.first?.part else { return [] }
        var seen: Set<[UInt8]> = [whole.utf8]
        return content.positions.flatMap { position in
            let name = Shown.key(position.path)
            var found: [ContentVariation] = []
            func add(_ text: String, _ part: JSONPart, _ new: String) {
                let bytes = whole.replacing(part, by: new)
                if seen.insert(bytes).inserted { found.append(ContentVariation(text: text, bytes: bytes)) }
            }
            if position.shape.isOptional {
                if let (object, stored) = position.property {
                    if position.part != nil, forms.canBeAbsent(position.path) {
                        add("without \(name)", object, object.settingMember(stored, to: nil))
                    }
                    if hasNulls, position.part?.kind != .null {
                        add("with null as \(name)", object, object.settingMember(stored, to: "null"))
                    }
                } else if hasNulls, !position.path.isEmpty, let part = position.part, part.kind != .null {
                    add("with null as \(name)", part, "null")
                }
            }
            guard let part = position.part else { return found }
            if let empty = position.shape.empty(part, at: position.path, forms) {
                add(position.path.isEmpty ? "with nothing set" : "with nothing in \(name)", part, empty)
            }
            if let current = position.shape.caseName(of: part) {
                let cases = forms.cases(of: position.shape).filter { $0.key != current }
                for (other, value) in cases.sorted(by: { $0.key < $1.key }) {
                    let target = position.path.isEmpty ? "" : " as \(name)"
                    add("with the case \(Shown.key(other))\(target)", part, value)
                }
            }
            return found
        }
    }
}

extension TypeShape {
    /// The text of an empty object or dictionary in place of one that is not; nil if the type does not allow it.
    fileprivate func empty(_ part: JSONPart, at path: String, _ forms: SampledForms) -> String? {
        switch form {
        case .object(let object):
            guard part.members?.isEmpty == false, !object.properties.isEmpty else { return nil }
            let canBeEmpty = object.properties.allSatisfy { name, property in
                property.isOptional && forms.canBeAbsent(path.isEmpty ? name : "\(path).\(name)")
            }
            return canBeEmpty ? "{}" : nil
        case .dictionary:
            if part.members?.isEmpty == false { return "{}" }
            return part.elements?.isEmpty == false ? "[]" : nil
        default:
            return nil
        }
    }
}

extension JSONPart {
    /// The bytes of this value with another text in place of one of its parts.
    fileprivate func replacing(_ part: JSONPart, by text: String) -> [UInt8] {
        let start = part.offset - offset
        let bytes = utf8
        return bytes[..<start] + Array(text.utf8) + bytes[(start + part.utf8.count)...]
    }

    /// The text of an object with another value of a member, or without the member; its other members stay as they are.
    fileprivate func settingMember(_ name: String, to value: String?) -> String {
        let members = (members ?? []).map { (name: $0.name.string ?? "", text: $0.name.text, value: $0.value.text) }
        var texts: [String] = []
        for member in members where member.name != name { texts.append("\(member.text):\(member.value)") }
        guard let value else { return "{\(texts.joined(separator: ","))}" }
        let position = members.firstIndex { $0.name == name } ?? texts.count
        texts.insert("\(JSONText.string(name).text):\(value)", at: min(position, texts.count))
        return "{\(texts.joined(separator: ","))}"
    }
}
