internal import Foundation

/// New content of a record, and the stored content whose unknown properties it is to keep.
struct ContentMerge {
    let new: JSONOutline
    let stored: JSONOutline

    /// - Returns: Nil unless both are objects, or both are arrays.
    init?(_ new: Data, over stored: Data) {
        guard let new = try? JSONOutline(Array(new)), let stored = try? JSONOutline(Array(stored)),
            new.values[0].kind == stored.values[0].kind, new.values[0].kind != .other
        else { return nil }
        self.new = new
        self.stored = stored
    }

    // MARK: What the new content does not have

    /// The properties of the stored content that the new one lacks.
    enum MissingProperties {
        case nothing
        /// Properties of the stored object itself, by their indexes.
        case properties([Int])
        /// There may be others, in nested values.
        case inside
    }

    var missing: MissingProperties {
        guard new.values[0].kind == .object else { return mayMissProperties(0, 0) ? .inside : .nothing }
        var properties: [Int] = []
        var isInside = false
        forEachProperty(0, 0) { property, own in
            if let own {
                isInside = isInside || mayMissProperties(property, own)
            } else {
                properties.append(property)
            }
        }
        if isInside { return .inside }
        return properties.isEmpty ? .nothing : .properties(last(properties))
    }

    /// Whether a new value may lack a property that a stored one has, at any depth.
    private func mayMissProperties(_ value: Int, _ own: Int) -> Bool {
        guard stored.values[value].kind == new.values[own].kind else { return false }
        switch stored.values[value].kind {
        case .other:
            return false
        case .object:
            var mayMissProperties = false
            forEachProperty(value, own) { property, own in
                mayMissProperties = mayMissProperties || own.map { self.mayMissProperties(property, $0) } ?? true
            }
            return mayMissProperties
        case .array:
            guard !stored.isSame(value, as: own, in: new) else { return false }
            // An element may be at another place now.
            let found = Set(new.children(of: own).map(new.hashOfNames))
            return !found.isEmpty && stored.children(of: value).contains { !found.contains(stored.hashOfNames(in: $0)) }
        }
    }

    /// Passes each property of a stored object with that of the new one to a closure.
    private func forEachProperty(_ object: Int, _ ownObject: Int, _ body: (_ property: Int, _ own: Int?) -> Void) {
        // Most properties are in the same order.
        var next = new.children(of: ownObject).makeIterator()
        var candidate = next.next()
        var indexes: [ExactName: Int]?
        for property in stored.children(of: object) {
            if let own = candidate, stored.hasSameName(property, as: own, in: new) {
                candidate = next.next()
                body(property, own)
            } else {
                let all = indexes ?? new.properties(of: ownObject)
                indexes = all
                body(property, all[ExactName(stored.name(of: property))])
            }
        }
    }

    /// Some properties of the stored object without those that a later one of the same name replaces.
    private func last(_ properties: [Int]) -> [Int] {
        guard properties.count > 1 else { return properties }
        let indexes = Dictionary(properties.map { (ExactName(stored.name(of: $0)), $0) }) { $1 }
        return properties.filter { indexes[ExactName(stored.name(of: $0))] == $0 }
    }

    // MARK: Merging

    /// The new object with properties of the stored one.
    func adding(_ properties: [Int]) -> [UInt8] {
        var writer = Writer(new: new, stored: stored)
        writer.add(properties, to: 0)
        return writer.finished()
    }

    /// The new content with what the stored one has and the type does not declare.
    ///
    /// - Parameters:
    ///   - reading: What the type declares for the new content.
    ///   - former: What it declares for the stored content; nil if it cannot be decoded. Arrays are then replaced.
    func added(_ reading: ShapeReading, _ former: ShapeReading?, _ coding: RecordCoding) -> [UInt8] {
        var merging = Merging(merge: self, coding: coding)
        merging.merge(0, 0, reading, former)
        return merging.writer.finished()
    }

    private struct Merging {
        let merge: ContentMerge
        let coding: RecordCoding
        var writer: Writer
        private var new: JSONOutline { merge.new }
        private var stored: JSONOutline { merge.stored }

        init(merge: ContentMerge, coding: RecordCoding) {
            self.merge = merge
            self.coding = coding
            writer = Writer(new: merge.new, stored: merge.stored)
        }

        mutating func merge(_ own: Int, _ value: Int, _ reading: ShapeReading, _ former: ShapeReading?) {
            switch (new.values[own].kind, stored.values[value].kind) {
            case (.object, .object): mergeObject(own, value, reading, former)
            case (.array, .array): mergeArray(own, value, reading, former)
            default: break
            }
        }

        private mutating func mergeObject(_ own: Int, _ value: Int, _ reading: ShapeReading, _ former: ShapeReading?) {
            guard !reading.keyTypes.isEmpty else { return }
            var properties = stored.properties(of: value)
            // The payload of another case is no part of this one.
            if reading.isCase {
                guard properties.count == 1, new.properties(of: own).count == 1 else { return }
            }
            for child in new.children(of: own) {
                let name = ExactName(new.name(of: child))
                guard let property = properties.removeValue(forKey: name) else { continue }
                let code = coding.codeName(name.text)
                guard let nested = reading.nested[code] else { continue }
                merge(child, property, nested, former?.nested[code])
            }
            guard !reading.isCase else { return }
            let unknown = properties.filter { !reading.declares(coding.codeName($0.key.text)) }
            writer.add(unknown.values.sorted(), to: own)
        }

        private mutating func mergeArray(_ own: Int, _ value: Int, _ reading: ShapeReading, _ former: ShapeReading?) {
            guard let former, !reading.elements.isEmpty else { return }
            let (elements, storedElements) = (Array(new.children(of: own)), Array(stored.children(of: value)))
            let origins = ElementOrigins(
                new: elements.map { new.bytes[new.values[$0].range] },
                reading: reading,
                former: storedElements.enumerated().map { index, element in
                    former.elements[index]?.encoded(by: coding) ?? stored.bytes[stored.values[element].range]
                },
                formerReading: former
            )
            for (child, origin) in zip(elements.enumerated(), origins.found()) {
                switch origin {
                case .unchanged(let index):
                    writer.replace(child.element, by: storedElements[index])
                case .changed(let index):
                    guard let nested = reading.elements[child.offset] else { continue }
                    merge(child.element, storedElements[index], nested, former.elements[index])
                case nil: break
                }
            }
        }
    }

    /// Writes the new content, with changes in the order of the text.
    private struct Writer {
        let new: JSONOutline
        let stored: JSONOutline
        private var output: [UInt8] = []
        /// The end of what was copied of the new content.
        private var copied = 0

        init(new: JSONOutline, stored: JSONOutline) {
            self.new = new
            self.stored = stored
            output.reserveCapacity(new.bytes.count + stored.bytes.count / 2)
        }

        /// Replaces a new object or array by a stored one.
        mutating func replace(_ own: Int, by value: Int) {
            guard new.values[own].kind != .other else { return }
            let range = new.values[own].range
            output += new.bytes[copied..<range.lowerBound]
            output += stored.bytes[stored.values[value].range]
            copied = range.upperBound
        }

        /// Adds stored properties at the end of a new object.
        mutating func add(_ properties: [Int], to own: Int) {
            guard !properties.isEmpty else { return }
            var last: Int?
            for child in new.children(of: own) { last = child }
            let end = last.map { new.values[$0].range.upperBound } ?? new.values[own].range.lowerBound + 1
            output += new.bytes[copied..<max(copied, end)]
            copied = max(copied, end)
            var needsComma = last != nil
            for property in properties {
                if needsComma { output.append(0x2C) }
                needsComma = true
                output += stored.bytes[stored.values[property].nameRange]
                output.append(0x3A)
                output += stored.bytes[stored.values[property].range]
            }
        }

        mutating func finished() -> [UInt8] {
            output += new.bytes[copied...]
            copied = new.bytes.count
            return output
        }
    }
}

/// Which elements of a former array those of a new one were.
private struct ElementOrigins {
    /// The new elements, as they are encoded.
    let new: [ArraySlice<UInt8>]
    let reading: ShapeReading
    /// The former elements, as the type encodes them.
    let former: [ArraySlice<UInt8>]
    let formerReading: ShapeReading

    /// The index of the former element.
    enum Origin {
        case unchanged(Int)
        case changed(Int)
    }

    func found() -> [Origin?] {
        if reading.isDictionary { return foundByKey() }
        var origins = [Origin?](repeating: nil, count: new.count)
        var isFree = [Bool](repeating: true, count: former.count)
        for index in new.indices where index < former.count && new[index] == former[index] {
            origins[index] = .unchanged(index)
            isFree[index] = false
        }
        var indexes: [ArraySlice<UInt8>: [Int]] = [:]
        for index in former.indices.reversed() where isFree[index] { indexes[former[index], default: []].append(index) }
        var hasMoved = false
        for index in new.indices where origins[index] == nil {
            guard let other = indexes[new[index]]?.popLast() else { continue }
            origins[index] = .unchanged(other)
            isFree[other] = false
            hasMoved = true
        }
        var identified: [AnyHashable: Int] = [:]
        for index in former.indices.reversed() where isFree[index] {
            if let id = formerReading.elements[index]?.id { identified[id] = index }
        }
        // A changed element without an identity is the one at its place, if all others are still at theirs.
        let isUnmoved = !hasMoved && !reading.isSet && new.count == former.count
        for index in new.indices where origins[index] == nil {
            if let id = reading.elements[index]?.id {
                if let other = identified.removeValue(forKey: id) { origins[index] = .changed(other) }
            } else if isUnmoved {
                origins[index] = .changed(index)
            }
        }
        return origins
    }

    /// The values of a dictionary whose keys and values alternate.
    private func foundByKey() -> [Origin?] {
        var indexes: [ArraySlice<UInt8>: Int] = [:]
        for index in stride(from: 1, to: former.count, by: 2) { indexes[former[index - 1]] = index }
        return new.indices.map { index in
            guard !index.isMultiple(of: 2), let other = indexes[new[index - 1]] else { return nil }
            return new[index] == former[other] ? .unchanged(other) : .changed(other)
        }
    }
}

extension ShapeReading {
    /// An element as its type encodes it; nil if it is not to be asked.
    fileprivate func encoded(by coding: RecordCoding) -> ArraySlice<UInt8>? {
        guard let element = element as? any Encodable, let bytes = try? coding.encoder.encode(element) else {
            return nil
        }
        return ArraySlice(bytes)
    }
}
