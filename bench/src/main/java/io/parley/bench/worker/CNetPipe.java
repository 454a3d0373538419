package io.parley.bench.worker;

import io.parley.bench.sockets.JavaStreamStack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Runs NetPIPE in C: its receiver, and its transmitter, which measures. */
public final class CNetPipe {

    private static final double MICROS_PER_SECOND = 1e6;
    private static final int COLUMNS = 3;
    private static final int MAX_ATTEMPTS = 20;
    private static final long RETRY_MILLIS = 250;
    private static final long TIMEOUT_SECONDS = 300;

    private CNetPipe() {}

    /**
     * Returns the time of one transfer in microseconds, by the size of the block in bytes. NetPIPE selects the sizes.
     *
     * @param maxBytes the largest block
     * @param logs the directory for its output
     * @throws WorkerException if NetPIPE fails
     */
    public static Map<Integer, Double> measure(StreamSetting setting, int maxBytes, Path logs)
            throws IOException, WorkerException, InterruptedException {
        Files.createDirectories(logs);
        Path figures = logs.resolve("c-netpipe.out");
        List<String> options = List.of("-P", Integer.toString(freePort()), "-u", Integer.toString(maxBytes), "-p", "0");
        Process receiver = start(true, setting, options, logs.resolve("c-netpipe-serve.log"));
        try {
            List<String> transmitter = new ArrayList<>(options);
            transmitter.addAll(List.of("-h", setting.host(), "-o", figures.toString()));
            for (int attempt = 1; !transmit(setting, transmitter, logs); attempt++) {
                if (attempt == MAX_ATTEMPTS || !receiver.isAlive()) {
                    throw new WorkerException("c-netpipe: failed (see c-netpipe-connect.log)");
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS); // the receiver does not listen yet
            }
            return parse(Files.readAllLines(figures));
        } finally {
            receiver.destroyForcibly();
        }
    }

    private static boolean transmit(StreamSetting setting, List<String> options, Path logs)
            throws IOException, WorkerException, InterruptedException {
        Process process = start(false, setting, options, logs.resolve("c-netpipe-connect.log"));
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new WorkerException("c-netpipe: no result within " + TIMEOUT_SECONDS + " s");
            }
            return process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(boolean server, StreamSetting setting, List<String> options, Path log)
            throws IOException {
        List<String> command = new ArrayList<>(server ? setting.servingPrefix() : setting.connectingPrefix());
        command.addAll(CpuPinner.prefix(server));
        command.add(JavaStreamStack.C_PROGRAM);
        command.addAll(options);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Reads lines with the size in bytes, the throughput and the seconds of a transfer. */
    static Map<Integer, Double> parse(List<String> lines) throws WorkerException {
        Map<Integer, Double> micros = new TreeMap<>();
        for (String line : lines) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length != COLUMNS) {
                throw new WorkerException("c-netpipe: %s (expected: bytes, Mbit/s and seconds)".formatted(line));
            }
            micros.put(Integer.parseInt(columns[0]), Double.parseDouble(columns[2]) * MICROS_PER_SECOND);
        }
        return micros;
    }
}
