import Foundation
import Molt
import Testing

/// The examples of Defaults' guide from 4 to 5 and of its own tests, with the types of these.
@Suite("Typed keys of settings that Defaults 4 wrote") struct DefaultsV4TypeTests {
    private let zone = CodableTimeZone(id: "0", name: "Asia/Taipei")
    private let zoneText = #"{"id":"0","name":"Asia\/Taipei"}"#
    private let nativeZone: PropertyListValue = ["id": "0", "name": "Asia/Taipei"]

    /// Expects that what Defaults 4 stored is converted once and read, and that a new value is stored in the same form.
    private func expect<Value: SettingValue & Equatable & Sendable>(
        _ text: String,
        becomes stored: PropertyListValue,
        readAs value: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let form = SettingKey<Value?>("key").form
        let expected = stored == .string(text) ? ConversionResult.alreadyCurrent : .converted(stored)
        for target in [DefaultsRelease.v5, .latest] {
            let conversion = DefaultsV4Conversion(target: target)
            #expect(conversion.convert(.string(text), as: form) == expected, sourceLocation: sourceLocation)
            #expect(conversion.convert(stored, as: form) == .alreadyCurrent, sourceLocation: sourceLocation)
        }
        try SettingsTests.expect(value, storedAs: stored, sourceLocation: sourceLocation)
    }

    /// Alone, in a collection, and in a collection that was Codable.
    private func expectInCollections<Value: SettingValue & Codable & Hashable & Sendable>(
        _ text: String,
        becomes stored: PropertyListValue,
        readAs value: Value
    ) throws {
        try expect(text, becomes: stored, readAs: value)
        try expect("[\(text)]", becomes: [stored], readAs: MyBag([value]))
        try expect(#"{"items":[\#(text)]}"#, becomes: [stored], readAs: CodableBag([value]))
    }

    private func expectLeast<Number: FixedWidthInteger & SettingValue & Codable & Hashable & Sendable>(
        _ type: Number.Type
    ) throws {
        try expectInCollections("\(Number.min)", becomes: .int(Int64(Number.min)), readAs: Number.min)
    }

    @Test func `Numbers, Booleans, dates and data become native, alone and in collections of the app`() throws {
        for type in [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self,
        ] as [any (FixedWidthInteger & SettingValue & Codable & Hashable & Sendable).Type] {
            try expectLeast(type)
        }
        try expectInCollections("0", becomes: 0.0, readAs: Double(0))
        try expectInCollections("0", becomes: 0.0, readAs: Float(0))
        try expectInCollections("0", becomes: 0.0, readAs: CGFloat(0))
        try expectInCollections("false", becomes: false, readAs: false)
        let (date, hello) = (Date(timeIntervalSinceReferenceDate: 642_000_000.5), Data("Hello World!".utf8))
        try expectInCollections("642000000.5", becomes: .date(date), readAs: date)
        let text = #""SGVsbG8gV29ybGQh""#
        try expectInCollections(text, becomes: .data(hello), readAs: hello)
        try expect(#"{"store":[\#(text)]}"#, becomes: [.data(hello)], readAs: CodableSet([hello]))
    }

    @Test func `URLs, strings and types with a coding are converted in collections and sets of the app`() throws {
        let url = try #require(URL(string: "https://sindresorhus.com"))
        let urls: PropertyListValue = [#""https:\/\/sindresorhus.com""#]
        try expect(#"["https:\/\/sindresorhus.com"]"#, becomes: urls, readAs: [url])
        try expect(#"["https:\/\/sindresorhus.com"]"#, becomes: urls, readAs: MyBag([url]))
        try expect(#"["Hello World!"]"#, becomes: ["Hello World!"], readAs: MyBag(["Hello World!"]))
        try expect(#"{"items":["a","b"]}"#, becomes: ["a", "b"], readAs: CodableBag(["a", "b"]))
        let (zone, chosen) = (zone.toNative(), ChosenTimeZone(id: "0", name: "Asia/Taipei"))
        try expect("[\(zoneText)]", becomes: [nativeZone], readAs: MyBag([zone]))
        try expect("[\(zoneText)]", becomes: [nativeZone], readAs: MySet([zone]))
        try expect(zoneText, becomes: nativeZone, readAs: chosen)
        try expect("[\(zoneText)]", becomes: [nativeZone], readAs: [chosen])
        try expect(#"{"items":[\#(zoneText)]}"#, becomes: [nativeZone], readAs: CodableBag([chosen]))
    }

    @Test func `Keys of dictionaries keep their text`() throws {
        let (zone, zones) = (zone.toNative(), [UniqueID(1234): zone.toNative()])
        try expect(#"{"Hank":"Chen"}"#, becomes: ["Hank": "Chen"], readAs: ["Hank": "Chen"])
        try expect(#"{"123":\#(zoneText)}"#, becomes: ["123": nativeZone], readAs: [UInt32(123): zone])
        try expect(#"{"1234":\#(zoneText)}"#, becomes: ["1234": nativeZone], readAs: zones)
        try expect(
            #"{"12345":{"1234":\#(zoneText)}}"#,
            becomes: ["12345": ["1234": nativeZone]],
            readAs: [UniqueID(12345): zones]
        )
    }

    @Test func `Codable types keep the JSON text of their elements`() throws {
        let text = PropertyListValue.string(zoneText)
        try expect(zoneText, becomes: text, readAs: zone)
        try expect("[\(zoneText)]", becomes: [text], readAs: Set([zone]))
        try expect(#"{"k":\#(zoneText)}"#, becomes: ["k": text], readAs: ["k": zone])
        let periods: PropertyListValue = [#""10 Minutes""#, #""1 Hour""#]
        try expect(#"["10 Minutes","1 Hour"]"#, becomes: periods, readAs: [Period.tenMinutes, .oneHour])
        try expect(#"["10 Minutes",10]"#, becomes: ["10 Minutes": 10], readAs: [Period.tenMinutes: 10])
    }

    @Test func `Types that are native now are converted by raw value, closure or coding`() throws {
        try expect(#""10 Minutes""#, becomes: "10 Minutes", readAs: EnumForm.tenMinutes)
        try expect(#"["10 Minutes"]"#, becomes: ["10 Minutes"], readAs: Set([EnumForm.tenMinutes]))
        try expect(#"["10 Minutes",1]"#, becomes: ["10 Minutes": 1], readAs: [EnumForm.tenMinutes: 1])
        try expect(#""10 Minutes""#, becomes: "short", readAs: Span.short)
        try expect("long", becomes: "long", readAs: Span.long)
        try expect(#"["10 Minutes","30 Minutes"]"#, becomes: ["short", "long"], readAs: [Span.short, .long])
        try expect(#"{"p":"1 Hour"}"#, becomes: ["p": "long"], readAs: ["p": Span.long])
        #expect(DefaultsV4Conversion().convert(#""2 Weeks""#, as: Span.settingCoding.form).failure != nil)
        let zone = zone.toNative()
        try expect(zoneText, becomes: nativeZone, readAs: zone)
        try expect("[\(zoneText)]", becomes: [nativeZone], readAs: Set([zone]))
        try expect(#"{"k":\#(zoneText)}"#, becomes: ["k": nativeZone], readAs: ["k": zone])
    }

    @Test func `A closure may return any value that a suite can hold, and its result is current from then on`() {
        let span = DefaultsForm.decoded(FormerSpan.self) { $0 == .tenMinutes ? "short" : "long" }
        let zone = DefaultsForm.decoded(CodableTimeZone.self) { ["id": $0.id, "name": $0.name] }
        let cases: [(stored: PropertyListValue, form: DefaultsForm, outcome: ConversionResult)] = [
            (#""30 Minutes""#, span, .converted("long")), ("long", span, .alreadyCurrent),
            (.string(zoneText), zone, .converted(nativeZone)), (nativeZone, zone, .alreadyCurrent),
            (.string("[\(zoneText)]"), .array(of: zone), .converted([nativeZone])),
        ]
        for (stored, form, outcome) in cases {
            #expect(DefaultsV4Conversion().convert(stored, as: form) == outcome, "\(stored)")
        }
        #expect(DefaultsV4Conversion().convert(1, as: span).failure != nil)
        #expect(DefaultsV4Conversion().convert(["id": 0], as: zone).failure != nil)
    }

    /// Rows X32 and X33 of the acceptance list.
    @Test func `UUIDs and ranges are converted for releases that read their native form, and read for any`() throws {
        let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let quoted = "\"\(text)\""
        let identifier = try #require(UUID(uuidString: text))
        let releases: [(target: DefaultsRelease, readsUUID: Bool, readsRange: Bool)] = [
            (.v5, false, false), (.v6dot2, true, false), (.v6dot3, true, true),
        ]
        for (target, readsUUID, readsRange) in releases {
            let conversion = DefaultsV4Conversion(target: target)
            func expect<Value: SettingValue & Equatable>(_ text: String, readAs value: Value) throws {
                let stored =
                    switch conversion.convert(.string(text), as: Value.settingCoding.form) {
                    case .converted(let native): native
                    default: PropertyListValue.string(text)
                    }
                try SettingsTests.expect(value, readFrom: stored)
            }
            let outcome = conversion.convert(.string(quoted), as: .uuid)
            #expect(outcome == (readsUUID ? .converted(.string(text)) : .alreadyCurrent))
            let range = conversion.convert("[1,5]", as: .range(of: .int))
            #expect(range == (readsRange ? .converted([1, 5]) : .alreadyCurrent))
            try expect(quoted, readAs: identifier)
            try expect("[\(quoted)]", readAs: [identifier])
            try expect("[1,5]", readAs: 1..<5)
            try expect("[1,5]", readAs: 1...5)
            try expect("[[1,5]]", readAs: [Int8(1)...5])
        }
    }
}

/// An enum whose cases have changed since Defaults 4 stored it.
private enum Span: String, SettingValue {
    static var settingCoding: SettingCoding<Self> {
        .rawValue(form: .decoded(FormerSpan.self) { $0 == .tenMinutes ? Span.short : .long })
    }

    case short, long
}

private enum FormerSpan: String, Codable {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}
