package io.parley.examples.console;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Turns whatever went wrong into one line that says what to do. */
public final class FailureFormatter {

    private FailureFormatter() {}

    /** The failure in one line, for people. */
    public static String sentence(Throwable wrapped) {
        Throwable failure = ParleyException.unwrap(wrapped);
        if (failure instanceof ParleyException parley) {
            return TextFormatter.oneLine(parley.getMessage()) + ". " + hint(parley.code());
        }
        if (failure instanceof CommandFailedException || failure instanceof IllegalArgumentException) {
            return TextFormatter.oneLine(failure.getMessage());
        }
        if (failure instanceof IOException io) {
            return sentence(io);
        }
        return TextFormatter.oneLine(failure.toString())
                + ". That is a fault of this program: please report it with the output of --verbose.";
    }

    private static String sentence(IOException failure) {
        if (failure instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist. Check the path.";
        }
        if (failure instanceof AccessDeniedException denied) {
            return "No permission for " + denied.getFile() + ". Change its permissions or choose another path.";
        }
        if (failure instanceof FileSystemException file) {
            return TextFormatter.oneLine(file.getFile() + ": "
                    + (file.getReason() == null ? file.getClass().getSimpleName() : file.getReason()));
        }
        return TextFormatter.oneLine(String.valueOf(failure.getMessage()));
    }

    private static String hint(ErrorCode code) {
        return switch (code) {
            case TIMEOUT -> "Try again; if that does not help, a firewall may be in the way.";
            case UNREACHABLE ->
                "Check that the other side still runs, and that this machine can reach an address in the ticket.";
            case BUSY, QUEUE_FULL -> "Try again in a while.";
            case LOST -> "Ask the other side whether it has come, and try again if not.";
            case SERVICE_FAILED -> "Try again; if that does not help, the other side's log has the reason.";
            case CLOSED -> "It was closed by this program: run the command again.";
            case DISCONNECTED -> "Check that the other side still runs, then run the command again.";
            case DUPLICATE_CONNECTION -> "Another process uses the same identity: give this one its own --home.";
            case MESSAGE_TOO_LARGE -> "Send less at a time.";
            case NO_SUCH_SERVICE -> "Ask the other side for its present ticket.";
            case NO_COMMON_CODEC, VERSION_UNSUPPORTED -> "Use the same version of Parley on both sides.";
            case NO_TRANSPORT -> "Use a tcp:// address.";
            case CANNOT_LISTEN -> "Choose another --port; 0 stands for any free one.";
            case HOME_IN_USE -> "Stop that peer, or use another --home.";
            case IDENTITY_UNREADABLE, STORE_UNAVAILABLE -> "Or use another --home.";
            case ALREADY_BOUND -> "Choose another name.";
            case IDENTITY_REFUSED -> "Another peer answers at that address: ask the other side for its present ticket.";
            case NOT_ENCODABLE -> "Check the file and try again.";
            case EXPIRED, NOT_YET_VALID -> "Check the clocks of both machines.";
            case LOCAL_LIMIT -> "Raise the limit in the configuration, or use less.";
            case REJECTED_BY_PEER -> "Use the same version of Parley on both sides, or send less.";
            case STALE_ADVERTISEMENT -> "Check the clock of the other machine, or wait until it publishes again.";
            case SIGNATURE_REFUSED -> "Somebody has changed what the other side signed: don't trust it.";
            case PROTOCOL_VIOLATION, MALFORMED_MESSAGE, MALFORMED_ADVERTISEMENT, LIMIT_EXCEEDED ->
                "The other side misbehaves: use the same version of Parley on both sides.";
        };
    }
}
