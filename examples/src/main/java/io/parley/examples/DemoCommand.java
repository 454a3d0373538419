package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.demo.Demo;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows in half a minute what there is. */
@Command(
        name = "demo",
        description = {
            "Show peers that meet, talk, pass a file on, and find each other by name.",
            "They are real processes on this machine; it takes less than half a minute. Exit code 0 means that everything",
            "was verified."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        Demo.run(console, codecs.words());
        return 0;
    }
}
