package io.parley.examples.software;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A server of another project, at a port of the loopback interface. Closing it stops the server; it also stops when this JVM dies. */
final class ServerProcess implements AutoCloseable {

    private static final long STOP_SECONDS = 20;

    private final String name;
    private final String stopSignal;
    private final Path log;
    private final Process process;

    private ServerProcess(String name, String stopSignal, Path log, Process process) {
        this.name = name;
        this.stopSignal = stopSignal;
        this.log = log;
        this.process = process;
    }

    /** Starts a server in a directory, with its output in a file there. */
    static ServerProcess start(Path directory, String stopSignal, List<String> command) throws IOException {
        return startAs(null, directory, stopSignal, command);
    }

    /** Does the same as another user, which only root can; {@code null} for the user of this process. */
    static ServerProcess startAs(@Nullable String user, Path directory, String stopSignal, List<String> command)
            throws IOException {
        String name = Path.of(command.get(0)).getFileName().toString();
        Path log = directory.resolve(name + ".log");
        Process process = new ProcessBuilder(asUser(user, stopSignal, command))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new ServerProcess(name, stopSignal, log, process);
    }

    /** Returns a command that runs another one as that user, and that gets the signal when the thread that starts it dies. */
    static List<String> asUser(@Nullable String user, String deathSignal, List<String> command) {
        List<String> all = new ArrayList<>(List.of(Software.require("setpriv"), "--pdeathsig", deathSignal));
        if (user != null) {
            all.addAll(List.of("--reuid", user, "--regid", user, "--init-groups"));
        }
        all.add("--");
        all.addAll(command);
        return all;
    }

    /** Returns a port at which nothing listens. The system assigns it to no other socket. */
    static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                // Try another port.
            }
        }
    }

    /** Waits until the server accepts connections. */
    ServerProcess awaitPort(int port) {
        return await(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Waits until the server is ready. Stops it if it does not become so. */
    ServerProcess await(BooleanSupplier ready) {
        try {
            Eventually.until(() -> name + " is not ready: " + log(), () -> {
                if (!process.isAlive()) {
                    throw new AssertionError(name + " has ended with exit code " + process.exitValue() + ": " + log());
                }
                return ready.getAsBoolean();
            });
            return this;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        try {
            new ProcessBuilder("kill", "-s", stopSignal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException e) {
            // Stop it in the other way.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly().onExit().join();
    }
}
