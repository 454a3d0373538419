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
 * Two peers, Alice and Bob, whose every step is a real {@code parley} process with a home of its own: they get
 * identities, connect, talk in both directions and pass a file on. Then three more that find each other through a
 * rendezvous. Nothing is left behind.
 */
public final class Demo {

    private static final int FILE_MIB = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ANYWHERE_HERE = "tcp://127.0.0.1:0";

    private final Console console;
    private final DemoWorkspace workshop;
    private final List<String> codecWords;
    private String alice = "";
    private String bob = "";

    private Demo(Console console, DemoWorkspace workshop, List<String> codecWords) {
        this.console = console;
        this.workshop = workshop;
        this.codecWords = codecWords;
    }

    /**
     * Runs the demo; returns when everything was shown and verified.
     *
     * @param codecWords further words for every process that talks
     */
    public static void run(Console console, List<String> codecWords) throws IOException, InterruptedException {
        long start = System.nanoTime();
        JsonObject verdict = JsonObject.object();
        try (DemoWorkspace workshop = DemoWorkspace.open()) {
            new Demo(console, workshop, codecWords).run(verdict);
        }
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        console.result(
                verdict.add("verified", true).add("seconds", time.toNanos() / 1e9),
                "\nVerified: identities, both directions, the file at both ends, and who met whom, in "
                        + TextFormatter.seconds(time)
                        + ". Everything is cleaned up.\nNext: \"parley chat lobby\", \"parley send FILE\", \"parley shell\".");
    }

    private void run(JsonObject verdict) throws IOException, InterruptedException {
        meet(verdict);
        talk(verdict);
        passFile(verdict);
        meetByName(verdict);
    }

    private void meet(JsonObject verdict) throws IOException, InterruptedException {
        say("1. Two peers, each a process of its own on this machine, make their identities.");
        try (ChildProcess first = workshop.start("alice", "id", "--home", home("alice"));
                ChildProcess second = workshop.start("bob", "id", "--home", home("bob"))) {
            alice = first.next(PATIENCE).text("peer");
            bob = second.next(PATIENCE).text("peer");
        }
        say("   Alice is peer " + alice);
        say("   Bob   is peer " + bob);
        say("   Such an id is a public key: nobody can claim it without the private half.");
        verdict.add("alice", alice).add("bob", bob);
    }

    private void talk(JsonObject verdict) throws IOException, InterruptedException {
        say("\n2. Alice listens on a free port, Bob connects with her ticket.");
        try (ChildProcess host = talker("alice", "demo-role", "--home", home("alice"), "--address", ANYWHERE_HERE);
                ChildProcess guest = guest(host.next(PATIENCE).text("ticket"))) {
            check("the peer that Alice sees is Bob", bob, host.next(PATIENCE).text("other"));
            JsonFields measured = guest.next(PATIENCE);
            check("the peer that Bob sees is Alice", alice, measured.text("other"));
            say("   They are connected, with TLS 1.3. Each has proven its id to the other.");
            say("   They write their messages as " + measured.text("codec") + ".");
            say("\n3. They talk.");
            say(String.format("   A round trip takes %.0f microseconds (median).", measured.real("trip_us")));
            say("   Bob to Alice: " + rate(measured, "sent_per_s"));
            say("   Alice to Bob: " + rate(measured, "received_per_s"));
            say("   Not one was lost, doubled or out of order.");
            verdict.add("codec", measured.text("codec"))
                    .add("trip_us", measured.real("trip_us"))
                    .add("messages_per_s_to_alice", measured.number("sent_per_s"))
                    .add("messages_per_s_to_bob", measured.number("received_per_s"));
            guest.awaitSuccess(PATIENCE);
            host.awaitSuccess(PATIENCE);
        }
    }

    private ChildProcess talker(String name, String... command) throws IOException {
        String[] words =
                Stream.concat(Arrays.stream(command), codecWords.stream()).toArray(String[]::new);
        return workshop.start(name, words);
    }

    private ChildProcess guest(String ticket) throws IOException {
        say("   " + ticket);
        return talker("bob", "demo-role", "--guest-home", home("bob"), ticket);
    }

    private static String rate(JsonFields measured, String field) {
        long perSecond = measured.number(field);
        return TextFormatter.count(perSecond) + " messages of 1 KiB per second ("
                + TextFormatter.bytes(perSecond * measured.number("message_bytes")) + "/s).";
    }

    private void passFile(JsonObject verdict) throws IOException, InterruptedException {
        say("\n4. Alice sends a file of " + FILE_MIB + " MiB, Bob receives it.");
        Path file = workshop.path("data.bin");
        write(file, new Random(42));
        try (ChildProcess sender =
                        talker("alice", "send", "--home", home("alice"), "--address", ANYWHERE_HERE, file.toString());
                ChildProcess receiver = receiver(sender.next(PATIENCE).text("ticket"))) {
            JsonFields received = receiver.next(PATIENCE);
            JsonFields sent = sender.next(PATIENCE);
            check("the peer that fetched the file is Bob", bob, sent.text("peer"));
            String expected = Sha256Digests.hexOf(file);
            check("SHA-256 at Alice's end", expected, sent.text("sha256"));
            check("SHA-256 at Bob's end", expected, received.text("sha256"));
            check(
                    "SHA-256 of Bob's file",
                    expected,
                    Sha256Digests.hexOf(workshop.path("received").resolve("data.bin")));
            double seconds = sent.real("seconds");
            long perSecond = (long) (sent.number("bytes") / seconds);
            say(String.format(
                    "   It took %.2f s, %s/s: read, encrypted, sent, decrypted, checked and written.",
                    seconds, TextFormatter.bytes(perSecond)));
            say("   SHA-256 at both ends: " + expected);
            verdict.add("file_bytes", sent.number("bytes"))
                    .add("file_mib_per_s", perSecond / (1024.0 * 1024))
                    .add("sha256", expected);
            receiver.awaitSuccess(PATIENCE);
            sender.awaitSuccess(PATIENCE);
        }
    }

    private ChildProcess receiver(String ticket) throws IOException {
        return talker(
                "bob",
                "receive",
                "--home",
                home("bob"),
                "--out",
                workshop.path("received").toString(),
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

    private void meetByName(JsonObject verdict) throws IOException, InterruptedException {
        say("\n5. A rendezvous, and three peers that know no address but its own, and go to the chat room \"lobby\".");
        long start = System.nanoTime();
        try (ChildProcess rendezvous =
                workshop.start("rendezvous", "rendezvous", "--no-multicast", "--address", ANYWHERE_HERE)) {
            String address = rendezvous.next(PATIENCE).text("rendezvous");
            say("   The rendezvous is at " + address);
            List<ChildProcess> guests = new ArrayList<>();
            for (String name : List.of("carol", "dave", "erin")) {
                guests.add(newcomer(name, address));
            }
            for (ChildProcess guest : guests) {
                guest.next(PATIENCE);
            }
            for (ChildProcess guest : guests) {
                check(
                        "how many lines of others each has heard",
                        "2",
                        Long.toString(guest.next(PATIENCE).number("heard")));
                guest.awaitSuccess(PATIENCE);
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        say(String.format(
                "   Each has found the two others by the room's name, and heard a line of each, %.1f s after the start.",
                seconds));
        verdict.add("met_by_name", 3).add("met_s", seconds);
    }

    private ChildProcess newcomer(String name, String rendezvous) throws IOException {
        return talker(
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
                ANYWHERE_HERE,
                "lobby");
    }

    private String home(String name) {
        return workshop.path(name).toString();
    }

    private static void check(String what, String expected, String actual) {
        if (!expected.equals(actual)) {
            throw new CommandFailedException(
                    "Not verified: " + what + ". Expected " + expected + ", got " + actual + ".");
        }
    }

    private void say(String line) {
        console.print(line);
    }
}
