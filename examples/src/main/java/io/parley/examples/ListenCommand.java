package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.netcat.Netcat;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Netcat by peer: the side that waits. */
@Command(
        name = "listen",
        description = {
            "Wait for one peer: netcat, by peer.",
            "The standard input goes to that peer, and what it sends to the standard output. The ticket for \"parley connect\" is printed on the standard error. Ends when the input of both has ended."
        },
        mixinStandardHelpOptions = true)
final class ListenCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--pipe",
            paramLabel = "NAME",
            description =
                    "Name the pipe: others can then come by the name as well as with the ticket, which stays the same"
                            + " when --home and --port do. Default: a pipe that nobody can guess")
    private @Nullable String pipe;

    @Mixin
    private PeerNameOption peerName = new PeerNameOption();

    @Mixin
    private GroupOption group = new GroupOption();

    @Override
    public Integer call() throws Exception {
        Console console = common.console();
        CompletableFuture<Void> done = new CompletableFuture<>();
        try (Peer peer = isNamed() ? host.startToBeFound(peerName.orEmpty()) : host.start();
                ConversationServer door = door(peer, (conversation, hello) -> talk(console, conversation, done))) {
            announce(console, door.ticket().toString());
            await(done);
        }
        return 0;
    }

    private ConversationServer door(Peer peer, ConversationServer.Handler talk) {
        return isNamed()
                ? new ConversationServer(peer, group.join(peer), pipe, Netcat.TOPIC, 1, talk)
                : new ConversationServer(peer, PipeId.random(GroupId.NET), Netcat.TOPIC, 1, talk);
    }

    /** Whether the other side may come by a name, and not only with the ticket. */
    private boolean isNamed() {
        return pipe != null || peerName.name() != null;
    }

    /** On the standard error in both forms, since the standard output belongs to the other side. */
    private void announce(Console console, String ticket) {
        String name = pipe == null ? peerName.name() : pipe;
        console.remarks()
                .println(
                        console.isJson()
                                ? JsonObject.object().add("ticket", ticket).toString()
                                : "Waiting. On the other side run:\n\n  parley connect " + ticket + "\n"
                                        + (name == null
                                                ? ""
                                                : "  or\n  parley connect " + TextFormatter.oneLine(name) + "\n"));
        console.remarks().flush();
    }

    private static void talk(Console console, Conversation conversation, CompletableFuture<Void> done)
            throws InterruptedException {
        if (done.isDone()) {
            throw ErrorCode.NO_SUCH_SERVICE.exception("it has talked with somebody else already");
        }
        console.remark("Connected to " + conversation.other() + ".");
        try {
            Netcat netcat = new Netcat(
                    conversation, new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
            netcat.run();
            netcat.awaitFarewell();
            done.complete(null);
        } catch (IOException e) {
            done.completeExceptionally(e);
            throw ErrorCode.DISCONNECTED.exception("the other side can't read or write its data", e);
        } catch (RuntimeException | InterruptedException e) {
            done.completeExceptionally(e);
            throw e;
        }
    }

    private static void await(CompletableFuture<Void> done) throws Exception {
        try {
            done.get();
        } catch (ExecutionException e) {
            throw ParleyException.unwrap(e) instanceof Exception failure ? failure : e;
        }
    }
}
