package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/**
 * What sender (S) and receiver (R) say in a {@link io.parley.examples.conversation.Conversation}. Messages only pack
 * elements: several stand in one message as far as they fit into {@value #MESSAGE_BYTES} bytes, and how they are packed
 * means nothing. Numbers are decimal, digests SHA-256, in hexadecimal where they stand in a text. A file's index counts
 * the {@code file} elements of the list from 0.
 *
 * <pre>
 * S: what there is
 *    dir      &lt;path&gt;                    a directory; named before what is in it
 *    file     &lt;size> &lt;path&gt;             a file
 *    listed   &lt;files&gt; &lt;bytes&gt;           the end of the list
 * R: what it wants: every file in one of three ways
 *    get      &lt;first> &lt;last&gt;            these from their beginning
 *    check    &lt;index> &lt;digest&gt;          a file of that size is there already: is it the same?
 *    have     &lt;index> &lt;length> &lt;step&gt;   the first bytes may be there
 *    digests  bytes                     of what is there, from the file's start to each multiple of the step and to
 *                                       the length; belongs to the have before it
 *    go                                 the end of the wishes
 * S: the answers to each check, in the order of the index
 *    same     &lt;index> &lt;digest&gt;          or
 *    differs  &lt;index&gt;
 *    then the other files, in the order of the index
 *    begin    &lt;index> &lt;from&gt;            where the bytes of that file begin that follow: 0, or where the longest
 *                                       stretch ends whose digest was right
 *    data     bytes                     the next ones
 *    sum      bytes                     the whole file's digest, after its last byte
 *    done     &lt;digest&gt;                  of a single file its own; else over a line "&lt;digest>  &lt;path>\\n" for each,
 *                                       as sha256sum prints them
 * R: received &lt;digest&gt;                  all is checked and in its place
 * S: ends the conversation
 * </pre>
 *
 * Whatever goes wrong, the side that notices ends the conversation with a code and a reason. Nothing is remembered by
 * the sender: who was interrupted asks again and says what is there.
 */
final class TransferProtocol {

    /** What people do with it, and thereby the topic of its conversations. */
    static final String TOPIC = "receive";

    static final String DIR = "dir";
    static final String FILE = "file";
    static final String LISTED = "listed";
    static final String GET = "get";
    static final String CHECK = "check";
    static final String HAVE = "have";
    static final String DIGESTS = "digests";
    static final String GO = "go";
    static final String SAME = "same";
    static final String DIFFERS = "differs";
    static final String BEGIN = "begin";
    static final String DATA = "data";
    static final String SUM = "sum";
    static final String DONE = "done";
    static final String RECEIVED = "received";

    /** Large enough that the cost of a message is nothing, small enough for a heap of a few megabytes. */
    static final int MESSAGE_BYTES = 128 * 1024;

    /** How many files and directories a receiver takes at most: what it remembers of each has to fit into memory. */
    static final int MAX_ENTRIES = 200_000;

    /** How many digests of beginnings a sender holds for one receiver. */
    static final int MAX_PREFIX_DIGEST_BYTES = 4 * 1024 * 1024;

    private TransferProtocol() {}

    /** The fields of a text; the last one may contain spaces. */
    static String[] fields(String text, int count) {
        String[] fields = text.split(" ", count);
        if (fields.length != count) {
            throw violation("'" + text + "' has " + fields.length + " fields (expected: " + count + ")");
        }
        return fields;
    }

    static long number(String text, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw violation("'" + text + "' is no number");
        }
        throw violation("number: " + text + " (expected: 0 to " + max + ")");
    }

    static ParleyException violation(String what) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("file transfer: " + what);
    }
}
