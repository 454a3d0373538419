package io.parley.bench.jxta;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the JXTA jars, which the build puts into a folder beside {@code benchmarks.jar}. The system property
 * {@code parley.bench.jxta} names another folder.
 */
final class JxtaJars {

    private static final String PROPERTY = "parley.bench.jxta";

    private JxtaJars() {}

    /** Returns the jars; empty if the folder does not exist. */
    static List<Path> list() {
        Path folder = folder();
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException("JXTA jars: cannot list " + folder, failed);
        }
    }

    /** Returns the reason if JXTA cannot run here. */
    static Optional<String> obstacle() {
        return list().isEmpty()
                ? Optional.of("no JXTA jars in " + folder() + "; build the module to copy them")
                : Optional.empty();
    }

    static Path folder() {
        String named = System.getProperty(PROPERTY);
        if (named != null) {
            return Path.of(named);
        }
        try {
            Path code = Path.of(JxtaJars.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return code.resolveSibling("jxta");
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException("location of " + JxtaJars.class + ": not a path", impossible);
        }
    }
}
