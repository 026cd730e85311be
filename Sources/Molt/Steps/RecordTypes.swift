/// The types of the records that steps work on.
enum RecordTypes: Sendable {
    case these(Set<String>)
    case any

    static let none = RecordTypes.these([])

    init(of steps: [MigrationStep]) {
        self = steps.reduce(.none) { $0.union($1.work.recordTypes) }
    }

    func union(_ other: RecordTypes) -> RecordTypes {
        if case .these(let types) = self, case .these(let others) = other { .these(types.union(others)) } else { .any }
    }

    func intersects(_ other: RecordTypes) -> Bool {
        switch (self, other) {
        case (.these(let types), .these(let others)): !types.isDisjoint(with: others)
        case (.these(let types), .any), (.any, .these(let types)): !types.isEmpty
        case (.any, .any): true
        }
    }
}

extension StepWork {
    var recordTypes: RecordTypes {
        switch self {
        case .records(let work): .these(work.typeNames)
        case .store(let work): .these(work.typeNames)
        case .settings(.moveToRecords(_, let declaration)): .these([declaration.type])
        case .settings: .none
        case .bring(let work): work.type.map { .these([$0]) } ?? .any
        case .block, .check: .any
        }
    }
}
