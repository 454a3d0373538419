package io.parley.bench.worker;

import io.parley.bench.stream.StreamSite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network of its own for two processes, with its own socket buffers: one namespace with loopback, or two with a link between them. The
 * rest of the machine is not touched. With the namespaces the kernel removes all that is in them: interfaces, settings and queues.
 */
public final class NetworkNamespaces implements AutoCloseable {

    private static final String IP = "ip";
    private static final String CLIENT_HOST = "10.213.7.1";
    private static final String SERVER_HOST = "10.213.7.2";
    private static final int BURST_BYTES = 128 << 10;
    private static final int QUEUE_MILLIS = 50;

    /** The kernel counts its own structures too, and a program that asks for a size gets twice that size. */
    private static final int ALLOCATION_FACTOR = 2;

    private static final int MIN_BUFFER_BYTES = 4096;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final List<String> names = new ArrayList<>();
    private final Thread cleaner = new Thread(this::delete, "bench-namespaces");

    private NetworkNamespaces() {
        Runtime.getRuntime().addShutdownHook(cleaner);
    }

    /** Returns the reason why this machine cannot have them; empty if it can. */
    public static Optional<String> obstacle() {
        try (NetworkNamespaces trial = loopback(MIN_BUFFER_BYTES)) {
            return Optional.empty();
        } catch (IOException failed) {
            return Optional.of("network namespaces are not available here (they need Linux, root, ip and tc): "
                    + failed.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }

    /** Creates a network in which both processes use loopback. */
    public static NetworkNamespaces loopback(int socketBufferBytes) throws IOException, InterruptedException {
        NetworkNamespaces network = new NetworkNamespaces();
        try {
            network.add(socketBufferBytes);
            return network;
        } catch (IOException | InterruptedException | RuntimeException failed) {
            network.close();
            throw failed;
        }
    }

    /**
     * Creates a network with a link that both directions limit to a rate.
     *
     * @param rate the rate as {@code tc} reads it, such as 100mbit
     */
    public static NetworkNamespaces link(String rate, int socketBufferBytes) throws IOException, InterruptedException {
        NetworkNamespaces network = new NetworkNamespaces();
        try {
            String server = network.add(socketBufferBytes);
            String client = network.add(socketBufferBytes);
            run(IP, "-n", server, "link", "add", "bench0", "type", "veth", "peer", "name", "bench1");
            run(IP, "-n", server, "link", "set", "bench1", "netns", client);
            start(server, "bench0", SERVER_HOST, rate);
            start(client, "bench1", CLIENT_HOST, rate);
            return network;
        } catch (IOException | InterruptedException | RuntimeException failed) {
            network.close();
            throw failed;
        }
    }

    private static void start(String namespace, String device, String host, String rate)
            throws IOException, InterruptedException {
        run(IP, "-n", namespace, "addr", "add", host + "/30", "dev", device);
        run(IP, "-n", namespace, "link", "set", device, "up");
        run(
                "tc",
                "-n",
                namespace,
                "qdisc",
                "add",
                "dev",
                device,
                "root",
                "tbf",
                "rate",
                rate,
                "burst",
                Integer.toString(BURST_BYTES),
                "latency",
                QUEUE_MILLIS + "ms");
    }

    /** Adds a namespace with these buffers for all of its sockets. */
    private String add(int socketBufferBytes) throws IOException, InterruptedException {
        String name = "parley-bench-%d-%d".formatted(ProcessHandle.current().pid(), COUNT.incrementAndGet());
        run(IP, "netns", "add", name);
        names.add(name);
        run(IP, "-n", name, "link", "set", "lo", "up");
        int bytes = ALLOCATION_FACTOR * socketBufferBytes;
        for (String file : List.of("tcp_rmem", "tcp_wmem")) {
            String text = "%d %d %d".formatted(Math.min(MIN_BUFFER_BYTES, bytes), bytes, bytes);
            run(IP, "netns", "exec", name, "sh", "-c", "echo '%s' > /proc/sys/net/ipv4/%s".formatted(text, file));
        }
        return name;
    }

    /**
     * Returns the setting for processes in this network.
     *
     * @param label the name in results and logs
     */
    public StreamSetting setting(String label) {
        String server = names.get(0);
        String client = names.get(names.size() - 1);
        return new StreamSetting(
                label,
                names.size() == 1 ? StreamSite.LOOPBACK : SERVER_HOST,
                List.of(IP, "netns", "exec", server),
                List.of(IP, "netns", "exec", client),
                JvmCommand.DEFAULT_HEAP);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("parley-bench", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new IOException("%s: %s"
                        .formatted(
                                String.join(" ", command),
                                Files.readString(output, StandardCharsets.UTF_8).strip()));
            }
        } finally {
            Files.delete(output);
        }
    }

    /** Removes the namespaces, with everything in them. Safe to call repeatedly. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(cleaner);
        } catch (IllegalStateException shutdown) {
            return; // the hook runs
        }
        delete();
    }

    private synchronized void delete() {
        List<String> left = List.copyOf(names);
        names.clear();
        for (String name : left) {
            delete(name);
        }
    }

    private static void delete(String name) {
        try {
            run(IP, "netns", "del", name);
        } catch (IOException gone) {
            // another process has removed it
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
