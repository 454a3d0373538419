package io.parley.examples.demo;

import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.transfer.Sha256Digests;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The demonstration. Two peers, Alice and Bob, create identities, connect, exchange messages in both directions and
 * transfer a file, and connect two plain sockets. Then three further peers find each other through a rendezvous. Each step of a peer is a
 * {@code parley} process with a home directory of its own. All files are deleted at the end.
 */
public final class Demo {

    private static final int FILE_MIB = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String ANY_LOCAL_PORT = "tcp://127.0.0.1:0";

    private final Console console;
    private final DemoWorkspace workspace;
    private final List<String> codecArguments;
    private final boolean quick;
    private String alice = "";
    private String bob = "";

    private Demo(Console console, DemoWorkspace workspace, List<String> codecArguments, boolean quick) {
        this.console = console;
        this.workspace = workspace;
        this.codecArguments = codecArguments;
        this.quick = quick;
    }

    /**
     * Runs the demo. Returns after all steps have been verified.
     *
     * @param codecArguments further arguments for every process that sends messages
     * @param quick          whether to measure for a fraction of a second only
     */
    public static void run(Console console, List<String> codecArguments, boolean quick)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        JsonObject results = JsonObject.object();
        try (DemoWorkspace workspace = DemoWorkspace.open()) {
            new Demo(console, workspace, codecArguments, quick).run(results);
        }
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        console.result(
                results.add("verified", true).add("seconds", time.toNanos() / 1e9),
                "\nVerified: identities, messages in both directions, the file at both ends, the bytes of the socket, and the chat room, in "
                        + TextFormatter.seconds(time)
                        + ". All temporary files are deleted.\nNext: \"parley chat lobby\", \"parley send FILE\", \"parley shell\".");
    }

    private void run(JsonObject results) throws IOException, InterruptedException {
        createIdentities(results);
        exchangeMessages(results);
        transferFile(results);
        forwardSocket(results);
        meetByName(results);
    }

    private void createIdentities(JsonObject results) throws IOException, InterruptedException {
        print("1. Two peers, each a process on this machine, create their identities.");
        try (ChildProcess first = workspace.start("alice", "id", "--home", home("alice"));
                ChildProcess second = workspace.start("bob", "id", "--home", home("bob"))) {
            alice = first.next(TIMEOUT).text("peer");
            bob = second.next(TIMEOUT).text("peer");
        }
        print("   Alice is peer " + alice);
        print("   Bob   is peer " + bob);
        print("   A peer id is a public key. Only the owner of the private key can use it.");
        results.add("alice", alice).add("bob", bob);
    }

    private void exchangeMessages(JsonObject results) throws IOException, InterruptedException {
        print("\n2. Alice listens on a free port. Bob connects with Alice's ticket.");
        try (ChildProcess host = startRole("alice", "--home", home("alice"), "--address", ANY_LOCAL_PORT);
                ChildProcess guest = guest(host.next(TIMEOUT).text("ticket"))) {
            check("the peer that Alice sees is Bob", bob, host.next(TIMEOUT).text("other"));
            JsonFields measured = guest.next(TIMEOUT);
            check("the peer that Bob sees is Alice", alice, measured.text("other"));
            print("   They are connected with TLS 1.3, and each has authenticated the other.");
            print("   The message format is " + measured.text("codec") + ".");
            print("\n3. They exchange messages.");
            print(String.format(
                    "   The first round trip took %.1f ms, in two JVMs that had just started.",
                    measured.real("first_trip_us") / 1e3));
            long warmUp = measured.number("warm_up_trips");
            print(String.format(
                    "   %s takes %.0f microseconds (median).",
                    warmUp == 0
                            ? "Without a warm-up, a round trip"
                            : "After a warm-up of " + TextFormatter.count(warmUp, "round trip") + ", one",
                    measured.real("trip_us")));
            print("   Bob to Alice: " + rate(measured, "sent_per_s"));
            print("   Alice to Bob: " + rate(measured, "received_per_s"));
            print("   These are rates " + (warmUp == 0 ? "without" : "after")
                    + " a warm-up. No message was lost, duplicated or out of order.");
            results.add("codec", measured.text("codec"))
                    .add("first_trip_us", measured.real("first_trip_us"))
                    .add("warm_up_trips", measured.number("warm_up_trips"))
                    .add("trip_us", measured.real("trip_us"))
                    .add("messages_per_s_to_alice", measured.number("sent_per_s"))
                    .add("messages_per_s_to_bob", measured.number("received_per_s"));
            guest.awaitSuccess(TIMEOUT);
            host.awaitSuccess(TIMEOUT);
        }
    }

    private ChildProcess startRole(String name, String... arguments) throws IOException {
        Stream<String> command = quick ? Stream.of("demo-role", "--quick") : Stream.of("demo-role");
        return start(name, Stream.concat(command, Arrays.stream(arguments)).toArray(String[]::new));
    }

    private ChildProcess start(String name, String... command) throws IOException {
        String[] arguments =
                Stream.concat(Arrays.stream(command), codecArguments.stream()).toArray(String[]::new);
        return workspace.start(name, arguments);
    }

    private ChildProcess guest(String ticket) throws IOException {
        print("   " + ticket);
        return startRole("bob", "--guest-home", home("bob"), ticket);
    }

    private static String rate(JsonFields measured, String field) {
        long perSecond = measured.number(field);
        return TextFormatter.count(perSecond) + " messages of 1 KiB per second ("
                + TextFormatter.bytes(perSecond * measured.number("message_bytes")) + "/s).";
    }

    private void transferFile(JsonObject results) throws IOException, InterruptedException {
        print("\n4. Alice sends a file of " + FILE_MIB + " MiB. Bob receives it.");
        Path file = workspace.path("data.bin");
        write(file, new Random(42));
        try (ChildProcess sender =
                        start("alice", "send", "--home", home("alice"), "--address", ANY_LOCAL_PORT, file.toString());
                ChildProcess receiver = receiver(sender.next(TIMEOUT).text("ticket"))) {
            JsonFields received = receiver.next(TIMEOUT);
            JsonFields sent = sender.next(TIMEOUT);
            check("the peer that fetched the file is Bob", bob, sent.text("peer"));
            String expected = Sha256Digests.hexOf(file);
            check("SHA-256 at Alice's end", expected, sent.text("sha256"));
            check("SHA-256 at Bob's end", expected, received.text("sha256"));
            check(
                    "SHA-256 of Bob's file",
                    expected,
                    Sha256Digests.hexOf(workspace.path("received").resolve("data.bin")));
            double seconds = sent.real("seconds");
            long perSecond = (long) (sent.number("bytes") / seconds);
            print(String.format(
                    "   It took %.2f s, %s/s, in two JVMs that had just started: read, encrypted, sent, decrypted,"
                            + " verified and written.",
                    seconds, TextFormatter.bytes(perSecond)));
            print("   SHA-256 at both ends: " + expected);
            results.add("file_bytes", sent.number("bytes"))
                    .add("file_mib_per_s", perSecond / (1024.0 * 1024))
                    .add("sha256", expected);
            receiver.awaitSuccess(TIMEOUT);
            sender.awaitSuccess(TIMEOUT);
        }
    }

    private ChildProcess receiver(String ticket) throws IOException {
        return start(
                "bob",
                "receive",
                "--home",
                home("bob"),
                "--out",
                workspace.path("received").toString(),
                ticket);
    }

    private static void write(Path file, RandomGenerator random) throws IOException {
        byte[] block = new byte[1024 * 1024];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < FILE_MIB; i++) {
                random.nextBytes(block);
                out.write(block);
            }
        }
    }

    private void forwardSocket(JsonObject results) throws IOException, InterruptedException {
        print("\n5. A program with a plain TCP socket reaches a TCP server of Alice by a port of Bob.");
        try (DemoSocket server = new DemoSocket();
                ChildProcess host = start(
                        "alice",
                        "forward",
                        "serve",
                        "echo",
                        Integer.toString(server.port()),
                        "--ticket",
                        "--home",
                        home("alice"),
                        "--address",
                        ANY_LOCAL_PORT);
                ChildProcess guest = start(
                        "bob",
                        "forward",
                        "connect",
                        "--home",
                        home("bob"),
                        host.next(TIMEOUT).text("ticket"))) {
            int port = (int) guest.next(TIMEOUT).number("port");
            print("   Bob forwards port " + port + " to port " + server.port() + " of Alice.");
            long start = System.nanoTime();
            int bytes = DemoSocket.exchange(port);
            double seconds = (System.nanoTime() - start) / 1e9;
            print(String.format(
                    "   %s went to the server and came back unchanged in %.2f s, in two JVMs that had just started.",
                    TextFormatter.bytes(bytes), seconds));
            results.add("socket_bytes", bytes).add("socket_s", seconds);
        }
    }

    private void meetByName(JsonObject results) throws IOException, InterruptedException {
        print("\n6. Three peers join the chat room \"lobby\". They know only the address of a rendezvous.");
        long start = System.nanoTime();
        try (ChildProcess rendezvous =
                workspace.start("rendezvous", "rendezvous", "--no-multicast", "--address", ANY_LOCAL_PORT)) {
            String address = rendezvous.next(TIMEOUT).text("rendezvous");
            print("   The rendezvous is at " + address);
            List<ChildProcess> participants = new ArrayList<>();
            for (String name : List.of("carol", "dave", "erin")) {
                participants.add(startParticipant(name, address));
            }
            for (ChildProcess participant : participants) {
                participant.next(TIMEOUT);
            }
            for (ChildProcess participant : participants) {
                check(
                        "the number of lines that each has received from the others",
                        "2",
                        Long.toString(participant.next(TIMEOUT).number("heard")));
                participant.awaitSuccess(TIMEOUT);
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        print(String.format(
                "   Each has found the two others by the name of the room and received a line from each, %.1f s after the"
                        + " start of the processes.",
                seconds));
        results.add("met_by_name", 3).add("met_s", seconds);
    }

    private ChildProcess startParticipant(String name, String rendezvous) throws IOException {
        return start(
                name,
                "demo-meet",
                "--name",
                name,
                "--others",
                "2",
                "--no-multicast",
                "--rendezvous",
                rendezvous,
                "--address",
                ANY_LOCAL_PORT,
                "lobby");
    }

    private String home(String name) {
        return workspace.path(name).toString();
    }

    private static void check(String subject, String expected, String actual) {
        if (!expected.equals(actual)) {
            throw new CommandFailedException(
                    "Not verified: " + subject + ". Expected " + expected + ", got " + actual + ".");
        }
    }

    private void print(String line) {
        console.print(line);
    }
}
