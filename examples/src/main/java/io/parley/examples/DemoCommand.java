package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.demo.Demo;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the demonstration. */
@Command(
        name = "demo",
        description = {
            "Demonstrate peers that connect, exchange messages, transfer a file, connect sockets and find each other by name.",
            "Each peer is a process on this machine; the demo takes less than 30 s. Exit code 0: all steps were verified."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Option(names = "--quick", description = "Measure for a fraction of a second. The figures are lower.")
    private boolean quick;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        Demo.run(console, codecs.arguments(), quick);
        return 0;
    }
}
