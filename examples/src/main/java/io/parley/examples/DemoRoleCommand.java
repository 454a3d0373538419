package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.demo.DemoProtocol;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one of the two processes that exchange messages in the demo: Alice without a ticket, Bob with Alice's ticket. */
@Command(name = "demo-role", hidden = true, description = "Run one process of \"parley demo\".")
final class DemoRoleCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(names = "--guest-home")
    private @Nullable Path guestHome;

    @Option(names = "--quick")
    private boolean quick;

    @Parameters(arity = "0..1")
    private @Nullable String ticket;

    @Override
    public Integer call() throws Exception {
        Console console = common.console();
        if (ticket == null) {
            runAlice(console);
        } else {
            runBob(console, ticket);
        }
        return 0;
    }

    private void runAlice(Console console) throws InterruptedException, ExecutionException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        try (Peer peer = host.start()) {
            ConversationServer server = new ConversationServer(
                    peer, PipeId.random(GroupId.NET), DemoProtocol.TOPIC, 1, (bob, hello) -> serve(console, bob, done));
            console.result(JsonObject.object().add("ticket", server.ticket().toString()), "");
            done.get();
        }
    }

    private void serve(Console console, Conversation bob, CompletableFuture<Void> done) throws InterruptedException {
        try {
            console.result(JsonObject.object().add("other", bob.other().text()), "");
            new DemoProtocol(bob, quick).respond();
            bob.awaitDelivery();
            done.complete(null);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
            throw e;
        }
    }

    private void runBob(Console console, String aliceTicket) throws InterruptedException {
        GuestOptions guest = GuestOptions.of(guestHome, host.codecs());
        try (Peer peer = guest.start();
                Conversation alice =
                        guest.join(peer, GuestOptions.ticket(aliceTicket), DemoProtocol.TOPIC, Message.EMPTY)) {
            console.result(new DemoProtocol(alice, quick).measure(), "");
        }
    }
}
