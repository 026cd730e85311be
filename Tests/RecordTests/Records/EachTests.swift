import Generators
import Molt
import TestSupport
import Testing

@Suite struct `Paths through the elements of arrays and dictionaries` {
    // MARK: Changes

    @Test func `A property is renamed in each element that has it`() throws {
        let zip: PropertyPath = ["a", .each, "zip"]
        let cases: [(PropertyPath, String, String)] = [
            (zip, #"{"a":[{"zip":1},{"zip":2}]}"#, #"{"a":[{"code":1},{"code":2}]}"#),
            (zip, #"{"a": [ {"x":0, "zip" : 1.50} , {"y":[]} ]}"#, #"{"a": [ {"x":0, "code" : 1.50} , {"y":[]} ]}"#),
            (zip, #"{"a":{"home":{"zip":1},"work":{"zip":2}}}"#, #"{"a":{"home":{"code":1},"work":{"code":2}}}"#),
            (zip, #"{"a":[null,7,"x",[{"zip":1}],{"zip":1}]}"#, #"{"a":[null,7,"x",[{"zip":1}],{"code":1}]}"#),
            ([.each, "zip"], #"[ {"zip":1} , {"zip":2}]"#, #"[ {"code":1} , {"code":2}]"#),
            (["a", .each, .each, "x"], #"{"a":{"p":[{"x":1},{"x":2}]}}"#, #"{"a":{"p":[{"code":1},{"code":2}]}}"#),
        ]
        for (path, before, after) in cases {
            try expectChanged(before, to: after) { try $0.rename(path, to: "code") }
        }
    }

    /// The other changes are compared with a reference below.
    @Test func `Splitting, joining, moving, adding, mapping and wrapping work in elements`() throws {
        let json = #"{"p":[{"n":"Ada L","s":{"t":1}}]}"#
        try expectChanged(json, to: #"{"p":[{"s":{"t":1},"a":"Ada","b":"L"}]}"#) {
            try $0.split(["p", .each, "n"], into: [["p", .each, "a"], ["p", .each, "b"]])
        }
        try expectChanged(#"{"p":[{"a":"x","b":"y"},{"a":"z"}]}"#, to: #"{"p":[{"n":"x y"},{"n":"z"}]}"#) {
            try $0.join([["p", .each, "a"], ["p", .each, "b"]], into: ["p", .each, "n"])
        }
        try expectChanged(json, to: #"{"p":[{"n":"Ada L","s":{},"t":1}]}"#) {
            try $0.move(["p", .each, "s", "t"], to: ["p", .each, "t"])
        }
        let added = #"{"p":[{"x":1,"c":"FR"},{"c":"FR"},{"c":"DE"},null]}"#
        try expectChanged(#"{"p":[{"x":1},{"c":null},{"c":"DE"},null]}"#, to: added) {
            try $0.setIfMissing(["p", .each, "c"], to: Array(#""FR""#.utf8), createsObjects: false)
        }
        try expectChanged(#"{"p":["old","new", "old"]}"#, to: #"{"p":["past","new", "past"]}"#) {
            try $0.mapValue(["p", .each], ["old": "past"])
        }
        let (values, objects) = (#"{"p":["1","2"]}"#, #"{"p":[{"n":"1"},{"n":"2"}]}"#)
        try expectChanged(values, to: objects) { try $0.wrap(["p", .each], in: .object("n")) }
        try expectChanged(objects, to: values) { try $0.unwrap(["p", .each], from: .object("n")) }
    }

    @Test func `Elements may be removed, and white space and commas stay in order`() throws {
        let cases: [(String, String)] = [
            (#"[ 1 , "x", 2 ]"#, "[ 1, 2 ]"), (#"["x", 1]"#, "[1]"), (#"[ "x" ]"#, "[]"),
            (#"{ "a" : "x" , "b":2 }"#, #"{ "b":2 }"#), (#"{"a":"x"}"#, "{}"),
        ]
        for (before, after) in cases {
            try expectChanged(#"{"l":\#(before)}"#, to: #"{"l":\#(after)}"#) {
                try $0.mapValue(["l", .each], [1: 1, 2: 2], otherwise: .remove)
            }
        }
    }

    // MARK: Reading and setting

    @Test func `A path is read as an array of values, and set in all elements`() throws {
        var record = try Record(#"{"a":[{"zip":"1"},{},{"zip":"2"}],"e":[],"n":7}"#)
        let values: [(PropertyPath, RecordValue?)] = [
            (["a", .each, "zip"], ["1", "2"]), (["e", .each, "zip"], []), (["n", .each, "zip"], nil),
            (["x", .each], nil),
        ]
        for (path, value) in values { #expect(record[path] == value, "\(path)") }
        #expect(try record.value(["a", .each, "zip"], as: [String].self) == ["1", "2"])
        #expect(record.contains(["a", .each, "zip"]))
        #expect(!record.contains(["a", .each, "city"]))
        #expect(!record.contains(["e", .each]))
        let nested = try Record(#"{"a":[[],{"x":{"zip":1}},7]}"#)
        #expect(nested.contains(["a", .each, .each, "zip"]) && nested.contains(["a", .each, .each]))
        #expect(!nested.contains(["a", .each, .each, "city"]) && !nested.contains(["a", .each, .each, .each, "zip"]))
        for path: PropertyPath in [["x", .each, "y"], ["e", .each, "y"]] { record[path] = 1 }
        record[["a", .each, "country"]] = "FR"
        #expect(
            record.text
                == #"{"a":[{"zip":"1","country":"FR"},{"country":"FR"},{"zip":"2","country":"FR"}],"e":[],"n":7}"#
        )
        try record.set(["a", .each, "country"], to: 1)
        record[["a", .each, "zip"]] = nil
        #expect(record.text == #"{"a":[{"country":1},{"country":1},{"country":1}],"e":[],"n":7}"#)
        #expect(try record.remove(["a", .each, "country"]) == [1, 1, 1])
    }

    // MARK: Errors

    @Test func `An array or object that is missing or null has no element that could lack a property`() throws {
        let path: PropertyPath = ["a", .each, "x"]
        for json in ["{}", #"{"a":null}"#, #"{"a":[]}"#, #"{"a":{}}"#] {
            try expectChanged(json, to: json) { try $0.rename(path, to: "y", ifMissing: .fail) }
        }
        try expectRefused(#"{"a":1}"#, .propertyMissing) { try $0.rename(path, to: "y", ifMissing: .fail) }
    }

    @Test func `An error names the path, changes nothing and has no value`() throws {
        let json = #"{"a":[{"n":"Ada L"},{"n":"secret","f":1}]}"#
        try expectRefused(json, .propertyExists, "a[].f", says: #""a[].n""#, canary: "secret") {
            try $0.rename(["a", .each, "n"], to: "f")
        }
        let message = #"An element of "a" has no property "a[].f""#
        try expectRefused(json, .propertyMissing, says: message, canary: "secret") {
            try $0.rename(["a", .each, "f"], to: "g", ifMissing: .fail)
        }
        let noElements = #""a[].n" is neither an array nor an object"#
        try expectRefused(json, .propertyMissing, says: noElements, canary: "secret") {
            try $0.rename(["a", .each, "n", .each, "x"], to: "y", ifMissing: .fail)
        }
        try expectRefused(json, .typeMismatch, says: "do not lead through the same elements", canary: "secret") {
            try $0.move(["a", .each, "n"], to: "n")
        }
    }

    @Test func `A value that is set in elements is not nested too deeply`() throws {
        var record = try Record(#"{"a":[{}]}"#)
        var value: RecordValue = 1
        for _ in 0..<509 { value = [value] }
        record[["a", .each, "x"]] = value
        #expect(record.failure == nil)
        // A record that is nested deeper cannot be read.
        #expect(try Record(record.text).text == record.text)
        record[["a", .each, "x"]] = [value]
        #expect((record.failure as? MoltError)?.code == .typeMismatch)
    }

    // MARK: A reference

    /// Compared with changes of parsed values, over thousands of documents.
    @Test(arguments: 0..<TestRun.choose(1, long: 3))
    func `Random documents are changed as by a reference`(seed: Int) throws {
        var random = SeededGenerator(seed: 1 + UInt64(seed))
        var changes = 0
        var settings: [SettingForm: Int] = [:]
        for _ in 0..<1_500 {
            let json = RandomObject.value(depth: 0, &random)
            let value = try RecordValue(json: json.utf8)
            guard value.object != nil || value.array != nil else { continue }
            let parts = (0..<1 + random.below(3)).map { _ in
                random.below(2) == 0 ? nil : RandomObject.name(RandomObject.Options(), &random)
            }
            let path = PropertyPath(parts.map { $0.map { PropertyPath($0) } ?? .each })
            let change: (inout Record) throws -> Void
            let parsedChange: (inout RecordValue) -> Void
            switch random.below(6) {
            case 0:
                change = { try $0.remove(path, ifMissing: .skip) }
                parsedChange = { Self.change(&$0, parts[...]) { _ in nil } }
            case 1:
                change = { try $0.wrap(path, in: .object("a wrapper"), ifMissing: .skip) }
                parsedChange = { Self.change(&$0, parts[...]) { $0.isNull ? .null : ["a wrapper": $0] } }
            case 2:
                let values: [RecordValue: RecordValue] = [.null: 0, true: "yes", "": [1], [:]: .null]
                change = { try MigrationStep.mapValue("Person", path, values).change(&$0) }
                parsedChange = { Self.change(&$0, parts[...]) { values[$0] ?? $0 } }
            case 3:
                change = { try MigrationStep.changeValue("Person", path, to: .string, otherwise: .keep).change(&$0) }
                parsedChange = {
                    Self.change(&$0, parts[...]) { value in
                        value.number.map { .string($0.text) } ?? value.bool.map { .string("\($0)") } ?? value
                    }
                }
            case 4:
                let elements = (parts.lastIndex(of: nil) ?? -1) + 1
                let place = parts[..<elements].map { $0.map { PropertyPath($0) } ?? .each }
                guard elements < parts.count else { continue }
                let newPath = PropertyPath(place + ["a copy"])
                change = { try MigrationStep.copyProperty("Person", path, to: newPath).change(&$0) }
                parsedChange = {
                    Self.changeObjects(&$0, parts[..<elements]) { object in
                        let inner = parts[elements...].reduce(.object(object) as RecordValue?) { value, name in
                            name.flatMap { value?.object?[$0] }
                        }
                        if let inner { object["a copy"] = inner }
                    }
                }
            default:
                guard let name = parts[parts.count - 1] else { continue }
                change = { try $0.rename(path, to: "new name", ifMissing: .skip) }
                parsedChange = {
                    Self.changeObjects(&$0, parts.dropLast()) { object in
                        for index in object.properties.indices
                        where object.properties[index].name.utf8.elementsEqual(name.utf8) {
                            object.properties[index].name = "new name"
                        }
                    }
                }
            }
            var record = try Record(json)
            var reference = value
            try change(&record)
            parsedChange(&reference)
            // As text, which shows the order too.
            let (before, after) = (try value.json(), try reference.json())
            if after == before { #expect(record.text == json) } else { changes += 1 }
            #expect(try RecordValue(json: record.text.utf8).json() == after, "\(json) at \(path)")
            for form in SettingForm.allCases {
                guard let isSame = try Self.isSame(json, in: form, change, parsedChange) else { continue }
                settings[form, default: 0] += 1
                #expect(isSame, "\(form): \(json) at \(path)")
            }
        }
        #expect(changes > 50)
        for form in SettingForm.allCases { #expect(settings[form, default: 0] > 50, "\(form)") }
    }

    /// Whether the content of a setting in a form is changed like a parsed value; nil if the form cannot hold it.
    private static func isSame(
        _ json: String,
        in form: SettingForm,
        _ change: (inout Record) throws -> Void,
        _ parsedChange: (inout RecordValue) -> Void
    ) throws -> Bool? {
        var first = try SettingContent(.string(json))
        try first.changeForm(to: form, dates: .deferredToDate)
        guard let stored = try? first.value() else { return nil }
        var content = try SettingContent(stored)
        guard content.form == form else { return nil }
        var reference = try content.record.content()
        parsedChange(&reference)
        try change(&content.record)
        // A native value has no null, and an element of JSON texts is a container or a string in quotes.
        let new: PropertyListValue
        do {
            guard let value = try content.value() else { return reference.isNull }
            new = value
        } catch let error as MoltError {
            return error.code == .cannotStore && [.native, .jsonTexts].contains(form) ? nil : false
        }
        // Without its other elements, a number may be a plain string.
        let after = try SettingContent(new, in: form == .jsonTexts ? form : nil).record.content()
        guard form.isPropertyList || form == .jsonTexts else { return try after.json() == reference.json() }
        return try after.sorted.json() == (form == .native ? reference.withoutNulls : reference).sorted.json()
    }

    /// Changes the objects at a path, which may be empty.
    private static func changeObjects(
        _ value: inout RecordValue,
        _ parts: ArraySlice<String?>,
        _ body: (inout RecordValue.Object) -> Void
    ) {
        func changed(_ value: RecordValue) -> RecordValue {
            guard var object = value.object else { return value }
            body(&object)
            return .object(object)
        }
        if parts.isEmpty { value = changed(value) } else { change(&value, parts, changed) }
    }

    /// Changes the values at a path, where nil stands for each.
    private static func change(
        _ value: inout RecordValue,
        _ parts: ArraySlice<String?>,
        _ body: (RecordValue) -> RecordValue?
    ) {
        guard let part = parts.first else { return }
        func changed(_ value: RecordValue) -> RecordValue? {
            guard parts.count > 1 else { return body(value) }
            var value = value
            change(&value, parts.dropFirst(), body)
            return value
        }
        switch (value, part) {
        case (.array(let elements), nil): value = .array(elements.compactMap(changed))
        case (.object(let object), nil):
            value = .object(
                RecordValue.Object(
                    object.properties.compactMap { property in
                        changed(property.value).map { (name: property.name, value: $0) }
                    }
                )
            )
        case (.object(var object), let name?):
            guard let old = object[name] else { return }
            object[name] = changed(old)
            value = .object(object)
        default: break
        }
    }
}

extension RecordValue {
    /// The value without members of objects that are null.
    fileprivate var withoutNulls: RecordValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let object):
            .object(
                .init(
                    object.properties.filter { !$0.value.isNull }.map {
                        (name: $0.name, value: $0.value.withoutNulls)
                    }
                )
            )
        default: self
        }
    }
}
