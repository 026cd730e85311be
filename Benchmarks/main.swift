import Foundation

exit(BenchmarkCommand.run(CommandLine.arguments))
