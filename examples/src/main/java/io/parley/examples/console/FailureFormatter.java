package io.parley.examples.console;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** Formats failures as one line for the user: what failed and what to do. */
public final class FailureFormatter {

    private FailureFormatter() {}

    /**
     * Returns the failure in one line. The advice of the command line replaces the advice in the message of a
     * {@link ParleyException}, which follows the last semicolon and is written for developers. Advice about proxies is kept.
     */
    public static String sentence(Throwable wrapped) {
        Throwable failure = Futures.unwrap(wrapped);
        if (failure instanceof ParleyException parley) {
            return withAdvice(TextFormatter.oneLine(parley.getMessage()), parley.code());
        }
        if (failure instanceof CommandFailedException) {
            return TextFormatter.oneLine(failure.getMessage());
        }
        if (failure instanceof IllegalArgumentException) {
            return TextFormatter.oneLine(failure.getMessage()) + ".";
        }
        if (failure instanceof IOException io) {
            return sentence(io);
        }
        return TextFormatter.oneLine(failure.toString())
                + ". This is a bug in parley: please report it with the output of --verbose.";
    }

    private static String withAdvice(String message, ErrorCode code) {
        if (code == ErrorCode.IDENTITY_UNREADABLE || code == ErrorCode.STORE_UNAVAILABLE) {
            return message + (message.contains("; ") || message.contains(": ") ? "." : ". Use another --home.");
        }
        int advice = message.lastIndexOf("; ");
        if (advice >= 0 && message.indexOf("prox", advice) >= 0) {
            // The transport alone knows about proxies.
            return message.substring(0, advice) + ". "
                    + message.substring(advice + 2, advice + 3).toUpperCase(Locale.ROOT) + message.substring(advice + 3)
                    + ".";
        }
        return (advice < 0 ? message : message.substring(0, advice)) + ". " + advice(code);
    }

    private static String sentence(IOException failure) {
        if (failure instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist. Check the path.";
        }
        if (failure instanceof AccessDeniedException denied) {
            return "No permission for " + denied.getFile() + ". Change its permissions or choose another path.";
        }
        if (failure instanceof FileAlreadyExistsException present) {
            return present.getFile() + " exists already. Choose another path.";
        }
        if (failure instanceof FileSystemException file) {
            return TextFormatter.oneLine(file.getFile() + ": "
                    + (file.getReason() == null ? file.getClass().getSimpleName() : file.getReason()));
        }
        return TextFormatter.oneLine(String.valueOf(failure.getMessage()));
    }

    private static String advice(ErrorCode code) {
        return switch (code) {
            case TIMEOUT -> "Try again. If that fails, check the firewalls between the peers.";
            case UNREACHABLE -> "Check that the other peer still runs, and that this machine can reach its address.";
            case BUSY, QUEUE_FULL -> "Try again later.";
            case LOST -> "Check at the other peer whether the message has arrived, and try again if not.";
            case SERVICE_FAILED -> "Try again. If that fails, read the log of the other peer.";
            case CLOSED -> "Run the command again.";
            case DISCONNECTED -> "Check that the other peer still runs, then run the command again.";
            case DUPLICATE_CONNECTION -> "Another process uses the same identity. Use another --home.";
            case MESSAGE_TOO_LARGE -> "Send smaller messages.";
            case NO_SUCH_SERVICE -> "Get the current ticket of the other peer.";
            case NO_COMMON_CODEC, VERSION_UNSUPPORTED -> "Use the same version of Parley on both machines.";
            case NO_TRANSPORT -> "Use a tcp:// or http:// address.";
            case CANNOT_LISTEN -> "Use another --port; 0 selects any free port.";
            case HOME_IN_USE -> "Stop that peer, or use --home DIR with another directory.";
            case IDENTITY_UNREADABLE, STORE_UNAVAILABLE -> "Use another --home.";
            case ALREADY_BOUND -> "Use another name.";
            case IDENTITY_REFUSED -> "Another peer listens at that address. Get the current ticket of the other peer.";
            case NOT_ENCODABLE -> "Check the file and try again.";
            case EXPIRED, NOT_YET_VALID -> "Check the clocks of both machines.";
            case LOCAL_LIMIT -> "Raise the limit in the configuration, or use less.";
            case REJECTED_BY_PEER -> "Use the same version of Parley on both sides, or send less.";
            case STALE_ADVERTISEMENT -> "Check the clock of the other machine, or wait until it publishes again.";
            case APPLICATION_ERROR -> "The text is from the service of the other peer.";
            case SECURITY_MISMATCH ->
                "The pipe of the other peer is a secure one, or needs a newer version of Parley. Use a program with secure pipes.";
            case SIGNATURE_REFUSED -> "The signed data has been modified. Do not trust it.";
            case PROTOCOL_VIOLATION, MALFORMED_MESSAGE, MALFORMED_ADVERTISEMENT, LIMIT_EXCEEDED ->
                "The other peer violates the protocol. Use the same version of Parley on both machines.";
        };
    }
}
