extension Record {
    /// A form in which a dictionary is stored.
    public enum DictionaryForm: Sendable {
        /// An object: `{"home":1,"work":2}`.
        case object
        /// An array in which keys and values alternate: `["home",1,"work",2]`.
        case alternatingArray
        /// The same with integers as keys: `[7,"x",8,"y"]`.
        case alternatingArrayOfIntegers
        /// An array of the values alone, in their stored order: `[1,2]`. The keys are lost.
        case arrayOfValues
    }

    /// A part of a dictionary's entries.
    public enum DictionaryPart: Sendable {
        /// The keys.
        case keys
        /// The values.
        case values
    }

    /// Changes the form in which a dictionary is stored.
    ///
    /// ```swift
    /// try person.changeDictionary("phones", to: .object)     // ["home",1] becomes {"home":1}
    /// ```
    ///
    /// The rules are those of ``MigrationStep/changeDictionary(_:_:to:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not such a
    ///   dictionary.
    public mutating func changeDictionary(_ path: PropertyPath, to form: DictionaryForm) throws {
        try changeDictionary(path, to: form, ifMissing: requirement(of: [path]))
    }

    /// Replaces keys or values of a dictionary with others.
    ///
    /// ```swift
    /// try shop.mapValue("labels", in: .keys, ["apple": "malus"])
    /// ```
    ///
    /// The rules are those of ``MigrationStep/mapValue(_:_:in:_:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not a dictionary,
    ///   a key or value that is not named, or two entries that would have one key.
    public mutating func mapValue(
        _ path: PropertyPath,
        in part: DictionaryPart,
        _ values: [RecordValue: RecordValue],
        otherwise other: OtherValue = .keep
    ) throws {
        let named = ValueMap(values, otherwise: other, at: path + .each)
        let map = isSetting ? named.ofSettings : named
        if map.isTooDeep { throw tooDeep(path) }
        try replaceValue(path, ifMissing: requirement(of: [path])) { map.change(part, of: $0) }
    }

    mutating func changeDictionary(
        _ path: PropertyPath,
        to form: DictionaryForm,
        ifMissing: Record.MissingProperty
    ) throws {
        try replaceValue(path, ifMissing: ifMissing) { form.change(of: $0) }
    }
}

extension Record.DictionaryForm {
    /// The form in a few words.
    var description: String {
        switch self {
        case .object: "an object"
        case .alternatingArray: "an alternating array"
        case .alternatingArrayOfIntegers: "an alternating array of integers"
        case .arrayOfValues: "an array of its values"
        }
    }

    fileprivate func change(of json: UnsafeBufferPointer<UInt8>) -> ValueChange {
        DictionaryJSON.change(json) { dictionary throws(DictionaryJSON.Problem) in
            guard dictionary.isObject != (self == .object) else {
                throw DictionaryJSON.Problem(text: dictionary.isObject ? "is an object already" : "is an array already")
            }
            var names: Set<ExactName> = []
            var pairs: [[UInt8]] = []
            for pair in dictionary.pairs {
                let name = try DictionaryJSON.name(pair.key)
                guard names.insert(ExactName(name.text)).inserted else { throw .hasDuplicates }
                pairs.append(try opening(name) + pair.value)
            }
            let content = Array(pairs.joined(separator: [0x2C]))
            return .new(self == .object ? [0x7B] + content + [0x7D] : [0x5B] + content + [0x5D])
        }
    }

    /// The JSON of a key in this form, with what is between it and the value.
    private func opening(_ name: (text: String, json: [UInt8])) throws(DictionaryJSON.Problem) -> [UInt8] {
        switch self {
        case .object: return name.json + [0x3A]
        case .alternatingArray: return name.json + [0x2C]
        case .arrayOfValues: return []
        case .alternatingArrayOfIntegers:
            guard let number = RecordValue.Number(text: name.text), number.isInteger else {
                throw DictionaryJSON.Problem(text: "has a key that is not an integer")
            }
            return Array(number.text.utf8) + [0x2C]
        }
    }
}

extension ValueMap {
    func change(_ part: Record.DictionaryPart, of json: UnsafeBufferPointer<UInt8>) -> ValueChange {
        DictionaryJSON.change(json) { dictionary throws(DictionaryJSON.Problem) in
            let new = try dictionary.changing { pair throws(DictionaryJSON.Problem) in
                var pair = pair
                switch try change(part, of: pair, in: dictionary) {
                case .kept: break
                case .removed: return nil
                case .failed(let problem, let advice): throw DictionaryJSON.Problem(text: problem, advice: advice)
                case .new(let json) where part == .values: pair.value = json
                case .new(let json): pair.key = dictionary.isObject ? try DictionaryJSON.name(json).json : json
                }
                return pair
            }
            guard let new else { return .kept }
            if part == .keys, try DictionaryJSON(new).hasDuplicates { throw .hasDuplicates }
            return .new(new)
        }
    }

    private func change(
        _ part: Record.DictionaryPart,
        of pair: DictionaryJSON.Pair,
        in dictionary: DictionaryJSON
    ) throws(DictionaryJSON.Problem) -> ValueChange {
        guard part == .keys else { return change(of: pair.value) }
        // In an object, an integer is written as a string.
        let text = dictionary.isObject ? try DictionaryJSON.name(pair.key).text : ""
        if let number = RecordValue.Number(text: text), number.isInteger, isNamed(Array(text.utf8)) {
            return change(of: Array(text.utf8))
        }
        return change(of: pair.key)
    }

    private func change(of json: [UInt8]) -> ValueChange {
        json.withUnsafeBufferPointer { change(of: $0) }
    }
}

extension Record.DictionaryForm {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .object: "object"
        case .alternatingArray: "alternatingArray"
        case .alternatingArrayOfIntegers: "alternatingArrayOfIntegers"
        case .arrayOfValues: "arrayOfValues"
        }
    }
}

extension Record.DictionaryPart {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .keys: "keys"
        case .values: "values"
        }
    }
}
