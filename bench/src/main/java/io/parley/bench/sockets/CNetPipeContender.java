package io.parley.bench.sockets;

import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamSite;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * NetPIPE itself, in C. It is a program of its own, which measures in its own way: the suite {@code netpipe} starts it as a whole and reads
 * its figures.
 */
final class CNetPipeContender extends AbstractStreamContender {

    CNetPipeContender() {
        super(JavaStreamStack.C_NETPIPE, "NetPIPE in C (NPtcp), by its own measurement: the best of its trials");
    }

    @Override
    public Optional<String> obstacle() {
        boolean isInstalled = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, JavaStreamStack.C_PROGRAM)));
        return isInstalled
                ? Optional.empty()
                : Optional.of(JavaStreamStack.C_PROGRAM + " is not installed (package netpipe-tcp)");
    }

    @Override
    public Server serve(StreamSite site) {
        throw notAStream();
    }

    @Override
    public Client connect(String address, StreamSite site) {
        throw notAStream();
    }

    private UnsupportedOperationException notAStream() {
        return new UnsupportedOperationException(
                name() + ": a program of its own (expected: the suite netpipe runs it)");
    }
}
