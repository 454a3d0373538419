package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.service.CommandHandler;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Sends one request to a service and prints the response. */
@Command(
        name = "request",
        description = {
            "Send a request to a service, such as one of \"parley serve\".",
            "Prints the response. Exit code: that of the command of the service if it has failed and the code is 3 to 255; 1 after"
                    + " another failure, which the standard error describes, or with --json the fields error and text."
        },
        mixinStandardHelpOptions = true)
final class RequestCommand implements Callable<Integer> {

    private static final int MAX_REQUEST_BYTES = 16 * 1024 * 1024;
    private static final int FAILED = 1;
    private static final int FIRST_PASSED_CODE = 3;
    private static final int LAST_PASSED_CODE = 255;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the service.")
    private String name = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TEXT|-",
            defaultValue = "",
            description = "Text of the request, or - for the standard input. Default: an empty request")
    private String text = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        if (GuestOptions.isTicket(name)) {
            throw new UsageException(
                    "Not a name of a service: " + TextFormatter.oneLine(name) + ". Use a name without : and @.");
        }
        byte[] body = body();
        try (Peer peer = ShutdownSignal.closing(guest.start(name))) {
            PipeMessage response =
                    Pipes.of(group.join(peer)).request(name, Message.of(CommandHandler.BODY, body), guest.timeout());
            print(console, response);
            return 0;
        } catch (ApplicationException e) {
            return fail(console, e);
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.CLOSED) {
                throw e;
            }
            if (console.isJson()) {
                console.result(
                        JsonObject.object().add("error", e.code().name()).add("text", String.valueOf(e.getMessage())),
                        "");
                return FAILED;
            }
            // not the advice for the code, because the message states whether the request was executed
            throw new CommandFailedException(TextFormatter.oneLine(e.getMessage()) + ".", e);
        }
    }

    private byte[] body() throws IOException {
        if (!text.equals("-")) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        byte[] input = System.in.readNBytes(MAX_REQUEST_BYTES + 1);
        if (input.length > MAX_REQUEST_BYTES) {
            throw new CommandFailedException("The request exceeds " + MAX_REQUEST_BYTES + " bytes. Use a smaller one.");
        }
        return input;
    }

    static void print(Console console, PipeMessage response) {
        byte[] body = response.message().bytes(CommandHandler.BODY).orElse(new byte[0]);
        if (console.isJson()) {
            console.result(
                    JsonObject.object()
                            .add("peer", response.from().text())
                            .add("body", new String(body, StandardCharsets.UTF_8)),
                    "");
        } else {
            console.output(body);
        }
        if (System.out.checkError()) {
            throw new CommandFailedException(
                    "Cannot write the response to the standard output. The request was executed.");
        }
    }

    private static int fail(Console console, ApplicationException failure) {
        int code = failure.applicationCode();
        if (console.isJson()) {
            console.result(
                    JsonObject.object()
                            .add("error", failure.code().name())
                            .add("code", code)
                            .add("text", failure.text()),
                    "");
        } else {
            console.notice("The service has failed with code " + code + ": " + TextFormatter.oneLine(failure.text()));
        }
        return code >= FIRST_PASSED_CODE && code <= LAST_PASSED_CODE ? code : FAILED;
    }
}
