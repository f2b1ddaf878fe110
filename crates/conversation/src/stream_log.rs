//! What has been streamed of a running answer, durable and numbered, so that a reader who joins or a later instance
//! of the program can have it from its beginning.

use crate::ConversationError;
use crate::envelope::{seal, unseal};
use flarebot_protocol::RequestId;
use flarebot_protocol::chunk::{self, Chunk};
use flarebot_sql::{FromRow, Row, Sql, SqlError};

/// The logged beginning of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoggedStream {
    /// The chunks with neighbouring deltas merged: fewer chunks than were numbered, the same text.
    pub chunks: Vec<Chunk>,
    /// The number after the last logged chunk; everything below it is in `chunks`.
    pub next_seq: u64,
}

/// The size in bytes from which a segment is left as it is and the next one begins. Small, because a segment is written
/// anew with everything that is added to it; larger than one addition, because every row has to be deleted again.
const SEGMENT_BYTES: i64 = 2_500;

/// The most bytes of chunks that are rewritten to one segment, unless one chunk alone is larger. As JSON, text may take six
/// times as much.
const PORTION_BYTES: usize = 150_000;

/// What a chunk takes beside its text, rounded up.
const CHUNK_BYTES: usize = 150;

/// Separates the additions to a segment. It occurs in no JSON text.
const SEPARATOR: char = '\n';

/// Appends chunks with the numbers from `first_seq` on. Nothing is written unless the turn is running: what arrives
/// after a turn was settled or erased is not kept.
///
/// # Errors
/// When the database refuses, or a segment with this number exists.
pub fn append(
    sql: &impl Sql,
    request_id: &RequestId,
    first_seq: u64,
    chunks: &[Chunk],
) -> Result<(), ConversationError> {
    let next_seq = first_seq.saturating_add(chunks.len() as u64);
    let sealed = seal(&chunk::merge(chunks.iter().cloned()))?;
    // The segments of a turn go with it, so one that is there says that the turn runs.
    let extended = sql.exec(
        "UPDATE stream_segment SET chunks = chunks || char(10) || ?, next_seq = ? \
         WHERE request_id = ? AND next_seq = ? AND length(chunks) < ? RETURNING first_seq",
        &[
            sealed.as_str().into(),
            stored(next_seq).into(),
            request_id.as_str().into(),
            stored(first_seq).into(),
            SEGMENT_BYTES.into(),
        ],
    )?;
    if !extended.is_empty() {
        return Ok(());
    }
    sql.exec(
        "INSERT INTO stream_segment (request_id, first_seq, next_seq, chunks) \
         SELECT request_id, ?, ?, ? FROM turn WHERE request_id = ? AND status = 'running'",
        &[
            stored(first_seq).into(),
            stored(next_seq).into(),
            sealed.into(),
            request_id.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Appends chunks to what is logged of an answer that pauses. The caller has seen that it does, in the same transaction.
pub(crate) fn extend_paused(
    sql: &impl Sql,
    request_id: &RequestId,
    chunks: &Vec<Chunk>,
) -> Result<(), ConversationError> {
    let count = i64::try_from(chunks.len()).unwrap_or(i64::MAX);
    sql.exec(
        "INSERT INTO stream_segment (request_id, first_seq, next_seq, chunks) \
         SELECT ?, coalesce(max(next_seq), 0), coalesce(max(next_seq), 0) + ?, ? FROM stream_segment WHERE request_id = ?",
        &[
            request_id.as_str().into(),
            count.into(),
            seal(chunks)?.into(),
            request_id.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Replaces what is logged of a running answer: what a later instance goes on with is all that there is from now on.
///
/// # Errors
/// When the database refuses.
pub fn rewind(
    sql: &impl Sql,
    request_id: &RequestId,
    logged: &LoggedStream,
) -> Result<(), ConversationError> {
    sql.transaction(|| {
        sql.exec(
            "DELETE FROM stream_segment WHERE request_id = ?",
            &[request_id.as_str().into()],
        )?;
        let mut rest = logged.chunks.as_slice();
        let mut first_seq = 0;
        while let Some((portion, after)) = split_portion(rest) {
            // Merged chunks are fewer than their numbers, so no number before the last is one that anything goes on from.
            let next_seq = if after.is_empty() {
                stored(logged.next_seq)
            } else {
                first_seq + 1
            };
            sql.exec(
                "INSERT INTO stream_segment (request_id, first_seq, next_seq, chunks) \
                 SELECT request_id, ?, ?, ? FROM turn WHERE request_id = ? AND status = 'running'",
                &[
                    first_seq.into(),
                    next_seq.into(),
                    seal(&portion.to_vec())?.into(),
                    request_id.as_str().into(),
                ],
            )?;
            first_seq += 1;
            rest = after;
        }
        Ok(())
    })
}

/// Takes as many chunks as are stored in one segment, at least one; nothing when there are none.
fn split_portion(chunks: &[Chunk]) -> Option<(&[Chunk], &[Chunk])> {
    let mut bytes = 0_usize;
    let fitting = chunks.iter().take_while(|chunk| {
        bytes = bytes
            .saturating_add(chunk.payload_bytes())
            .saturating_add(CHUNK_BYTES);
        bytes <= PORTION_BYTES
    });
    let count = fitting.count().max(1);
    chunks.split_at_checked(count)
}

/// Reads all that is logged of an answer; empty when nothing is.
///
/// # Errors
/// When the database refuses or a segment cannot be read.
pub fn read(sql: &impl Sql, request_id: &RequestId) -> Result<LoggedStream, ConversationError> {
    let segments: Vec<Segment> = sql.query(
        "SELECT next_seq, chunks FROM stream_segment WHERE request_id = ? ORDER BY first_seq",
        &[request_id.as_str().into()],
    )?;
    let mut stream = LoggedStream::default();
    for segment in segments {
        for addition in segment.chunks.split(SEPARATOR) {
            stream.chunks.extend(unseal::<Vec<Chunk>>(addition)?);
        }
        stream.next_seq = segment.next_seq;
    }
    stream.chunks = chunk::merge(stream.chunks);
    Ok(stream)
}

/// A chunk's number as it is stored; the limit of an answer keeps every real one far below the border.
fn stored(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

struct Segment {
    next_seq: u64,
    chunks: String,
}

impl FromRow for Segment {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let next_seq = u64::try_from(row.integer(0)?).map_err(|_| SqlError::Shape {
            column: 0,
            expected: "a chunk number",
        })?;
        Ok(Self {
            next_seq,
            chunks: row.text(1)?.to_owned(),
        })
    }
}
