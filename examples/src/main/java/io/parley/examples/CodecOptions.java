package io.parley.examples;

import io.parley.PeerBuilder;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The message formats of a peer. */
final class CodecOptions {

    @Option(
            names = "--codec",
            paramLabel = "NAME",
            split = ",",
            description = "Message format: binary, xml or fastinfoset; several formats, in order of preference, are"
                    + " separated by commas. Default: all, binary first")
    private List<String> codecs = new ArrayList<>();

    /** Selects the formats in a builder. */
    PeerBuilder applyTo(PeerBuilder builder) {
        return codecs.isEmpty() ? builder : builder.codecs(codecs.toArray(String[]::new));
    }

    /** Returns the command line arguments that select the same formats in another process. */
    List<String> arguments() {
        return codecs.isEmpty() ? List.of() : List.of("--codec", String.join(",", codecs));
    }
}
