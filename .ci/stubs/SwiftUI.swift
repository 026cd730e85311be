// Stands for Apple's framework where it is missing: as much as the guides' examples use. See .ci/examples.
@_exported import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
}

extension View where Body == Never {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Part: View>(_ part: repeat each Part) -> Group<Never> { Group() }
    public static func buildEither(first: some View) -> Group<Never> { Group() }
    public static func buildEither(second: some View) -> Group<Never> { Group() }
    public static func buildOptional(_ part: (some View)?) -> Group<Never> { Group() }
}

public struct Group<Content: View>: View {
    nonisolated public init() {}
    public init(@ViewBuilder content: () -> Content) {}
    public typealias Body = Never
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public typealias Body = Never
}

public struct Text: View {
    public init<Words: StringProtocol>(_ words: Words) {}
    public typealias Body = Never
}

public struct Button: View {
    public init<Words: StringProtocol>(_ title: Words, action: @escaping @MainActor () -> Void) {}
    public typealias Body = Never
}

public struct ProgressView<Label: View>: View {
    public init<Number: BinaryFloatingPoint>(value: Number?, total: Number = 1, @ViewBuilder label: () -> Label) {}
    public typealias Body = Never
}

extension View {
    public func task<ID: Equatable>(id: ID, _ action: @escaping @MainActor @Sendable () async -> Void) -> some View {
        self
    }
}

@MainActor @propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}
