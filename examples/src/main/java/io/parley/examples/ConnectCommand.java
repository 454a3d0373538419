package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.netcat.Netcat;
import io.parley.message.Message;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Connects the standard input and output to those of another peer: the connecting peer. */
@Command(
        name = "connect",
        description = {
            "Connect to a peer that runs \"parley listen\".",
            "Sends the standard input to that peer, and prints what that peer sends. Ends when both inputs have ended."
        },
        mixinStandardHelpOptions = true)
final class ConnectCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Parameters(
            paramLabel = "TICKET|NAME",
            description = "Ticket that \"parley listen\" printed, or the name after its --pipe or --name.")
    private String target = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        try (Peer peer = ShutdownSignal.closing(guest.start(target));
                Conversation conversation = guest.join(peer, target, group, Netcat.TOPIC, Message.EMPTY)) {
            console.remark("Connected to " + conversation.other() + ".");
            try {
                new Netcat(
                                conversation,
                                new FileInputStream(FileDescriptor.in),
                                new FileOutputStream(FileDescriptor.out))
                        .run();
            } catch (IOException e) {
                conversation.fail(ErrorCode.DISCONNECTED.exception(
                        "the other peer's input or output failed: " + FailureFormatter.sentence(e)));
                throw e;
            }
        }
        return 0;
    }
}
