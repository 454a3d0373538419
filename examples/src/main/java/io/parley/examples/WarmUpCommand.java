package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.transfer.FileReceiver;
import io.parley.examples.transfer.FileSender;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Loads the classes that most commands need. The launcher runs it once while the JVM records the loaded classes in an
 * archive, which makes later commands start faster.
 */
@Command(name = "warm-up", hidden = true, description = "Load the classes of other commands.")
final class WarmUpCommand implements Callable<Integer> {

    @Override
    public Integer call() throws Exception {
        Parley.commandLine().usage(new PrintWriter(Writer.nullWriter()));
        Parley.commandLine()
                .getSubcommands()
                .values()
                .forEach(command -> command.usage(new PrintWriter(Writer.nullWriter())));
        Path directory = Files.createTempDirectory("parley-warm-up-");
        Path file = Files.writeString(directory.resolve("file"), "warm");
        try {
            transfer(file, directory.resolve("out"));
        } finally {
            Files.deleteIfExists(directory.resolve("out").resolve("file"));
            Files.deleteIfExists(directory.resolve("out"));
            Files.delete(file);
            Files.delete(directory);
        }
        return 0;
    }

    private static void transfer(Path file, Path out) throws Exception {
        Console quiet = new Console(System.err, System.err, true, false);
        FileSender sender = new FileSender(List.of(file));
        try (Peer rendezvous = Peer.loopback().actAsRendezvous().start();
                Peer host = client(rendezvous);
                Peer guest = client(rendezvous);
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
            new FileReceiver(out, false, offer -> true, new TransferDisplay(quiet, "")).receive(conversation);
            guest.endpoint().ping(host.id()).join();
        }
    }

    private static Peer client(Peer rendezvous) {
        return Peer.loopback()
                .rendezvous(rendezvous.address().addresses().get(0).toString())
                .start();
    }
}
