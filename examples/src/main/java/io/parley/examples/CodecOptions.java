package io.parley.examples;

import io.parley.PeerBuilder;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** In which message formats a peer talks. */
final class CodecOptions {

    @Option(
            names = "--codec",
            paramLabel = "NAME",
            split = ",",
            description = "Talk in this message format: binary, xml or fastinfoset; several, in order of preference,"
                    + " divided by commas. Default: all, binary first")
    private List<String> codecs = new ArrayList<>();

    /** The builder with what was asked for. */
    PeerBuilder applyTo(PeerBuilder builder) {
        return codecs.isEmpty() ? builder : builder.codecs(codecs.toArray(String[]::new));
    }

    /** The words that ask another process for the same. */
    List<String> words() {
        return codecs.isEmpty() ? List.of() : List.of("--codec", String.join(",", codecs));
    }
}
