package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
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

/** Netcat by peer: the side that comes. */
@Command(
        name = "connect",
        description = {
            "Connect to a peer that runs \"parley listen\".",
            "The standard input goes to that peer, and what it sends to the standard output. Ends when the input of both has ended."
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
            description =
                    "What \"parley listen\" printed, or the name that it was given: with --pipe to the pipe, or with --name to"
                            + " the peer.")
    private String where = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        try (Peer peer = guest.start(where);
                Conversation conversation = guest.join(peer, where, group, Netcat.TOPIC, Message.EMPTY)) {
            console.remark("Connected to " + conversation.other() + ".");
            try {
                new Netcat(
                                conversation,
                                new FileInputStream(FileDescriptor.in),
                                new FileOutputStream(FileDescriptor.out))
                        .run();
            } catch (IOException e) {
                conversation.fail(
                        ErrorCode.DISCONNECTED.exception("its input or output failed: " + FailureFormatter.sentence(e)));
                throw e;
            }
        }
        return 0;
    }
}
