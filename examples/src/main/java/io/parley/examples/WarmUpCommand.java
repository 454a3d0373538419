package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.transfer.FileReceiver;
import io.parley.examples.transfer.FileSender;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import io.parley.transport.udp.UdpPropagationProvider;
import io.parley.transport.udp.UdpSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/**
 * Loads the classes that most commands need. The launcher runs it once while the JVM records the loaded classes in an
 * archive, which makes later commands start faster.
 */
@Command(name = "warm-up", hidden = true, description = "Load the classes of other commands.")
final class WarmUpCommand implements Callable<Integer> {

    /** Not the default, which peers on this machine use. */
    private static final int MULTICAST_PORT = UdpSettings.DEFAULTS.port() + 1;

    @Override
    public Integer call() throws Exception {
        Parley.commandLine().usage(new PrintWriter(Writer.nullWriter()));
        Parley.commandLine()
                .getSubcommands()
                .values()
                .forEach(command -> command.usage(new PrintWriter(Writer.nullWriter())));
        Path directory = Files.createTempDirectory("parley-warm-up-");
        try {
            transfer(Files.writeString(directory.resolve("file"), "warm"), directory);
        } finally {
            deleteAll(directory);
        }
        return 0;
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void transfer(Path file, Path directory) throws Exception {
        Console quiet = new Console(System.err, System.err, true, false);
        FileSender sender = new FileSender(List.of(file));
        try (Peer rendezvous = Peer.loopback().actAsRendezvous().start();
                Peer host = client(rendezvous, directory.resolve("host"));
                Peer guest = client(rendezvous, directory.resolve("guest"));
                ConversationServer server = new ConversationServer(
                        host,
                        host.group("warm-up").join(),
                        "file",
                        FileSender.TOPIC,
                        1,
                        (conversation, hello) -> sender.send(conversation, new TransferDisplay(quiet, "")));
                Conversation conversation = Conversation.join(
                        guest,
                        guest.group("warm-up").join(),
                        "file",
                        FileSender.TOPIC,
                        Message.EMPTY,
                        Duration.ofSeconds(10))) {
            PipeTicket.parse(server.ticket().toString());
            new FileReceiver(directory.resolve("out"), false, offer -> true, new TransferDisplay(quiet, ""))
                    .receive(conversation);
            guest.endpoint().ping(host.id()).join();
        }
    }

    private static Peer client(Peer rendezvous, Path home) throws IOException {
        return Peer.loopback()
                .home(home)
                .rendezvous(rendezvous.address().addresses().get(0).toString())
                .multicast(true)
                .propagationTransport(new UdpPropagationProvider(loopbackMulticast()))
                .start();
    }

    /** Returns settings with which no other peer hears of these. */
    private static UdpSettings loopbackMulticast() throws IOException {
        return UdpSettings.DEFAULTS.toBuilder()
                .port(MULTICAST_PORT)
                .hops(0)
                .interfaces(NetworkInterface.networkInterfaces()
                        .filter(WarmUpCommand::isLoopback)
                        .map(NetworkInterface::getName)
                        .collect(Collectors.toSet()))
                .build();
    }

    private static boolean isLoopback(NetworkInterface candidate) {
        try {
            return candidate.isLoopback();
        } catch (SocketException e) {
            return false; // it has just been removed
        }
    }
}
