//! Released steps of the schema never change.

use crate::common::database;
use flarebot_sql::Sql;

/// The digests of the steps as they were released.
const RELEASED: [&str; 4] = [
    "3d22e3d9c0898d2cbe70dfd57f901ca463d30c203be395aeb47723becec27858",
    "edc015b14ec7b13d22409aab7a6a442b1c962917cd75fa050f622c69ed315029",
    "ca6fc91dc765a941bfe79c705ba76d42048f0b10655a534ccc5dbfd8719f8359",
    "4e57c0adda350dc0e3b80e0c18372b91b87d1b41cc6898a136541091536154c6",
];

#[test]
fn a_released_step_reads_as_it_did() {
    let rows = database()
        .exec("SELECT digest FROM schema_migration ORDER BY version", &[])
        .unwrap();
    let digests: Vec<&str> = rows.iter().map(|row| row.text(0).unwrap()).collect();
    assert_eq!(&digests[..RELEASED.len()], RELEASED);
}
