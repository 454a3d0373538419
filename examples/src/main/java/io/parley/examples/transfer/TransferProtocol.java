package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/**
 * The protocol of sender (S) and receiver (R) in a {@link io.parley.examples.conversation.Conversation}. A message contains
 * as many elements as fit into {@value #MESSAGE_BYTES} bytes; the boundaries of messages have no meaning. Numbers are
 * decimal. Digests are SHA-256, in hexadecimal inside a text. The index of a file counts the {@code file} elements of the
 * list from 0.
 *
 * <pre>
 * S: the offer
 *    dir      &lt;path&gt;                    a directory; before its content
 *    file     &lt;size> &lt;path&gt;             a file
 *    listed   &lt;files&gt; &lt;bytes&gt;           the end of the list
 * R: the requests: each file in one of three ways
 *    get      &lt;first> &lt;last&gt;            these files, from their beginning
 *    check    &lt;index> &lt;digest&gt;          a file of that size is present: is it the same?
 *    have     &lt;index> &lt;length> &lt;step&gt;   the first bytes may be present
 *    digests  bytes                     of the present bytes, from the start to each multiple of the step and to the
 *                                       length; belongs to the preceding have
 *    go                                 the end of the requests
 * S: a response to each check, in the order of the index
 *    same     &lt;index> &lt;digest&gt;          or
 *    differs  &lt;index&gt;
 *    then the other files, in the order of the index
 *    begin    &lt;index> &lt;from&gt;            the offset of the following bytes: 0, or the end of the longest beginning
 *                                       with a matching digest
 *    data     bytes                     the next bytes
 *    sum      bytes                     the digest of the whole file, after its last byte
 *    done     &lt;digest&gt;                  the digest of a single file; otherwise of a line "&lt;digest>  &lt;path>\\n" for each,
 *                                       as sha256sum prints them
 * R: received &lt;digest&gt;                  all files are verified and in place
 * either ends the conversation
 * </pre>
 *
 * The peer that detects a failure ends the conversation with an error code and a reason. The sender keeps no state: after an
 * interruption the receiver requests the files again and reports the parts that are present.
 */
final class TransferProtocol {

    /** The topic of the conversations: the name of the command that joins them. */
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

    /** Large enough that the cost of a message is negligible, small enough for a heap of a few megabytes. */
    static final int MESSAGE_BYTES = 128 * 1024;

    /** The maximum number of files and directories. The receiver keeps an entry for each of them in memory. */
    static final int MAX_ENTRIES = 200_000;

    /** The maximum size of the prefix digests that a sender keeps for one receiver, in bytes. */
    static final int MAX_PREFIX_DIGEST_BYTES = 4 * 1024 * 1024;

    private TransferProtocol() {}

    /** Splits a text into fields. The last field may contain spaces. */
    static String[] fields(String text, int count) {
        String[] fields = text.split(" ", count);
        if (fields.length != count) {
            throw violation("'" + text + "': " + fields.length + " fields (expected: " + count + ")");
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
            throw violation("number: " + text + " (expected: 0 to " + max + ")");
        }
        throw violation("number: " + text + " (expected: 0 to " + max + ")");
    }

    static ParleyException violation(String fault) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("file transfer: " + fault);
    }
}
